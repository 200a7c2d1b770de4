/**
 * Takes secrets out of text of a server or of its process before anybody sees it.
 *
 * In: the server's config, which names the secrets. Out: a function from text to text. Masked are values of 8 characters or
 * more of `env`, of `headers` and of arguments behind a flag that sounds secret, user info and query of urls, and tokens known
 * by their shape. Shorter values are left: masking "1" or "true" everywhere would hide the message itself.
 */
import type { MCPServerConfig } from "./server_config.js"

/** Text without its secrets. */
export type Mask = (text: string) => string

const STARS = "***"
const SHORTEST_SECRET = 8
const SECRET_FLAG = /key|token|secret|pass/i
const URL_PARTS = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)(?:[^\s/?#@"']{1,300}@)?([^\s?#"'<>]{0,2000})(\?[^\s#"'<>]{0,2000})?/gi
const TOKEN_SHAPES = new RegExp(
  [
    "\\b(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{16,255}|glpat-[A-Za-z0-9_-]{16,255})",
    "\\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,255}",
    "\\bxox[a-z]-[A-Za-z0-9-]{10,255}",
    "\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b",
    "\\bAIza[A-Za-z0-9_-]{30,255}",
    "\\bnpm_[A-Za-z0-9]{30,255}",
    "\\beyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{0,4000}",
  ].join("|"),
  "g",
)
const BEARER = /\b(Bearer|Basic)\s{1,4}[A-Za-z0-9._~+/=-]{8,4000}/gi

/** The mask for one server. Secrets that come up later (made by a `headers` function) are given as `more`, read at each use. */
export function createMask(config?: MCPServerConfig, more?: () => Iterable<string>): Mask {
  const named = config === undefined ? [] : secretsOf(config)
  return (text) => {
    let masked = text
    for (const secret of spellings(more === undefined ? named : [...named, ...more()])) masked = masked.replaceAll(secret, STARS)
    return masked
      .replace(URL_PARTS, (_all, scheme: string, place: string, query: string | undefined) => `${scheme}${place}${query === undefined ? "" : `?${STARS}`}`)
      .replace(TOKEN_SHAPES, STARS)
      .replace(BEARER, `$1 ${STARS}`)
  }
}

/** A value with each text in it masked, object keys left alone; too deep parts become a note. */
export function maskValue(value: unknown, mask: Mask, depth = 0): unknown {
  if (typeof value === "string") return mask(value)
  if (typeof value !== "object" || value === null) return value
  if (depth >= 32) return "[nested too deep]"
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskValue(member, mask, depth + 1)]))
}

/** The secrets that a config names. */
function secretsOf(config: MCPServerConfig): string[] {
  if ("command" in config) return [...Object.values(config.env ?? {}), ...secretArguments(config.args ?? [])]
  const headers = typeof config.headers === "function" ? [] : Object.values(config.headers ?? {})
  return headers.flatMap(headerSecrets)
}

/** A header's value, and the token behind its scheme: a server may quote either. */
export function headerSecrets(value: string): string[] {
  const token = /^\S{1,40}\s+(\S.*)$/.exec(value)?.[1]
  return token === undefined ? [value] : [value, token]
}

function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    if (!arg.startsWith("-")) return []
    const equals = arg.indexOf("=")
    const flag = equals < 0 ? arg : arg.slice(0, equals)
    if (!SECRET_FLAG.test(flag)) return []
    const value = equals < 0 ? args[at + 1] : arg.slice(equals + 1)
    return value === undefined ? [] : [value]
  })
}

/** Each secret as it stands, in a url and inside JSON text; longest first, so that no part of one stays behind. */
function spellings(secrets: readonly string[]): string[] {
  const all = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue
    all.add(secret).add(encodeURIComponentSafely(secret)).add(JSON.stringify(secret).slice(1, -1))
  }
  return [...all].sort((a, b) => b.length - a.length)
}

function encodeURIComponentSafely(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    // A lone surrogate has no spelling in a url.
    return text
  }
}
