/**
 * Loads the optional peer `@opentelemetry/api`.
 */
import { CallError } from "../error.js"

/** The API package of OpenTelemetry. */
export type API = typeof import("@opentelemetry/api")

/**
 * The package, loaded.
 *
 * @throws CallError CONFIGURATION_ERROR where it is not installed; the remedy is in the details.
 */
export async function loadAPI(): Promise<API> {
  try {
    return await import("@opentelemetry/api")
  } catch (cause) {
    throw new CallError("CONFIGURATION_ERROR", "Telemetry needs the package @opentelemetry/api, which is not installed", {
      details: { package: "@opentelemetry/api", remedy: "npm install @opentelemetry/api", outcome: "not_started" },
      cause,
    })
  }
}
