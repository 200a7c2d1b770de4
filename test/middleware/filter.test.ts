import { expect, test } from "vitest"
import { filter, type FilterOptions } from "../../src/middleware.js"
import { through } from "./through.js"

const readOnly = { readOnlyHint: true }
const table: [FilterOptions, Record<string, unknown> | undefined, boolean][] = [
  [{ annotations: { readOnlyHint: true } }, readOnly, true],
  [{ annotations: { readOnlyHint: true } }, undefined, false],
  [{ annotations: { readOnlyHint: true } }, { readOnlyHint: "yes" }, false],
  [{ annotations: { readOnlyHint: false } }, undefined, true],
  [{ annotations: { destructiveHint: false } }, undefined, false],
  [{ annotations: { destructiveHint: false } }, { destructiveHint: false }, true],
  [{ annotations: { destructiveHint: false } }, readOnly, true],
  [{ annotations: { destructiveHint: false } }, { readOnlyHint: true, destructiveHint: true }, true],
  [{ annotations: { openWorldHint: false } }, undefined, false],
  [{ annotations: { openWorldHint: false, idempotentHint: true } }, { openWorldHint: false, idempotentHint: true }, true],
  [{ annotations: { openWorldHint: false, idempotentHint: true } }, { openWorldHint: false }, false],
  [{ annotations: {} }, undefined, true],
  [{ deny: ["t.*"], annotations: { readOnlyHint: true } }, readOnly, false],
  [{ allow: ["u.*"], annotations: { readOnlyHint: true } }, readOnly, false],
]

test.each(table)("%j of an operation that says %j: runs %s", async (options, annotations, runs) => {
  const call = through(filter(options), "ran", annotations === undefined ? {} : { annotations })
  if (runs) expect((await call).data).toBe("ran")
  else await expect(call).rejects.toMatchObject({ code: "ACCESS_DENIED", details: { outcome: "not_started" } })
})

test("the refusal says which rule it was, and which hint", async () => {
  await expect(through(filter({ annotations: { readOnlyHint: true } }), "ran")).rejects.toMatchObject({
    message: '"t.x" does not have the readOnlyHint that is wanted',
    details: { operationId: "t.x", missing: { filter: "annotations" } },
  })
})
