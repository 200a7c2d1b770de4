/**
 * The output and input schemas of recorded servers, each with Ajv's opinion beside it.
 *
 * In: the folder of recorded tool lists. Out: one entry for each schema. Where Ajv refuses a schema there is no second opinion.
 */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"

export function corpusCases(folder, members = ["outputSchema"]) {
  const cases = []
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "calls.json")) {
    const { tools } = JSON.parse(readFileSync(path.join(folder, file), "utf8"))
    for (const tool of Array.isArray(tools) ? tools : []) {
      for (const member of members) {
        const schema = tool[member]
        if (typeof schema === "object" && schema !== null) cases.push({ name: `${file} ${tool.name} ${member}`, schema, isFitting: secondOpinion(schema) })
      }
    }
  }
  return cases
}

function secondOpinion(schema) {
  let check
  return (value) => {
    if (check === undefined) check = compileWithAjv(schema)
    return check(value)
  }
}

function compileWithAjv(schema) {
  const Validator = /draft-0[67]/.test(schema.$schema ?? "") ? Ajv : Ajv2020
  try {
    const validate = new Validator({ strict: false, validateFormats: false, logger: false }).compile(schema)
    return (value) => validate(value) === true
  } catch {
    return () => true
  }
}
