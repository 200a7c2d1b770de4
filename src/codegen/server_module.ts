/**
 * One module for the operations of one server, or of several.
 *
 * In: operations as they were discovered. Out: the text of a TypeScript module: a type and a schema for each input and output, an interface
 * with one method for each operation of a server, and the function that makes it. Sorted by the operations' names: the same operations
 * give the same bytes.
 */
import { FromSchema, METASCHEMA_URI, type Dialect } from "../schema.js"
import { operationId, specToJSON, type OperationSpec, type OperationSpecJSON } from "../operation.js"
import { builderText } from "./builder_text.js"
import { docComment } from "./doc_comment.js"
import { camelCase, pascalCase, uniqueNames } from "./identifiers.js"
import { memberName, stringLiteral, valueText } from "./literal.js"
import { TypeWriter, type NamedType } from "./type_writer.js"

/** How modules are written. */
export interface ModuleOptions {
  /** `"camel"` (default) makes `createIssue` of `create-issue`; `"as-is"` keeps the server's names, in quotes where needed. */
  readonly names?: "camel" | "as-is" | undefined
  /** `"typebox"` (default): schemas, types and a client. `"types"`: types alone, without an import. */
  readonly target?: "typebox" | "types" | undefined
  /** Lines for the top of each file, without comment signs. Default: what made it. */
  readonly header?: string | undefined
}

/** An operation on its way into a module. */
interface Entry {
  readonly id: string
  readonly method: string
  readonly json: OperationSpecJSON
  readonly input: Side
  /** Undefined where the server declares none: the answer is content blocks. */
  readonly output: Side | undefined
}

/** The types of an input or an output, and the text of its schema. */
interface Side {
  readonly name: string
  readonly types: readonly NamedType[]
  readonly schema: string
}

const OWN_NAMES = ["Type", "FromSchema", "MCPContentBlock", "OperationContext", "OperationSource", "ResponseEnvelope", "callerOf"]

/** The operations of one server. */
export interface ServerOperations {
  readonly namespace: string
  readonly operations: readonly OperationSpec[]
}

/** A module with the operations of these servers. With more than one, the names of types begin with their server's. */
export function serverModule(servers: readonly ServerOperations[], options: ModuleOptions = {}): string {
  const clients = uniqueNames(servers.map(({ namespace }) => namespace), pascalCase)
  const withSchemas = (options.target ?? "typebox") === "typebox"
  const taken = new Set([...OWN_NAMES, ...clients.values()])
  const entries: Entry[] = []
  const texts = servers.map(({ namespace, operations }) => {
    const client = clients.get(namespace) ?? pascalCase(namespace)
    const own = entriesOf(operations, options, servers.length > 1 ? client : "", taken)
    entries.push(...own)
    const parts = own.map((entry) => sidesText(entry, withSchemas))
    return `${parts.join("\n")}${parts.length === 0 ? "" : "\n"}${withSchemas ? clientText(client, namespace, own) : mapText(client, namespace, own)}`
  })
  const text = texts.join("\n")
  return `${headerText(servers, options.header)}${withSchemas ? importText(entries, text) : ""}${text}`
}

function entriesOf(operations: readonly OperationSpec[], options: ModuleOptions, prefix: string, taken: Set<string>): Entry[] {
  const sorted = [...operations].sort((one, other) => (one.name < other.name ? -1 : 1))
  const names = options.names ?? "camel"
  const methods = uniqueNames(sorted.map(({ name }) => name), names === "camel" ? camelCase : (name) => name)
  const typeNames = uniqueNames(sorted.map(({ name }) => name), pascalCase)
  const withSchemas = (options.target ?? "typebox") === "typebox"
  return sorted.map((operation): Entry => {
    const json = specToJSON(operation)
    const base = `${prefix}${typeNames.get(operation.name) ?? pascalCase(operation.name)}`
    return {
      id: operationId(operation),
      method: methods.get(operation.name) ?? operation.name,
      json,
      input: sideOf(`${base}Input`, json.inputSchema, json.dialect?.inputSchema, withSchemas, taken),
      output: declaresOutput(json) ? sideOf(`${base}Output`, json.outputSchema, json.dialect?.outputSchema, withSchemas, taken) : undefined,
    }
  })
}

function declaresOutput({ outputSchema }: OperationSpecJSON): boolean {
  return typeof outputSchema === "boolean" || (typeof outputSchema === "object" && outputSchema !== null && Object.keys(outputSchema).length > 0)
}

function sideOf(name: string, schema: unknown, dialect: Dialect | undefined, withSchema: boolean, taken: Set<string>): Side {
  let free = name
  for (let count = 2; taken.has(free); count++) free = `${name}${String(count)}`
  const types = new TypeWriter(schema, free, taken).write()
  return { name: free, types, schema: withSchema ? schemaText(free, schema, dialect) : "" }
}

/** Builders where they say the same, the JSON where not. */
function schemaText(name: string, schema: unknown, dialect: Dialect | undefined): string {
  const converted = FromSchema(schema, dialect === undefined ? {} : { dialect })
  const builders = builderText(converted)
  if (builders !== undefined) return builders
  const options = dialect === undefined || hasSchemaURI(schema, dialect) ? "" : `, ${valueText({ dialect })}`
  return `Type.Unsafe<${name}>(FromSchema<unknown>(${valueText(schema)}${options}))`
}

function hasSchemaURI(schema: unknown, dialect: Dialect): boolean {
  return typeof schema === "object" && schema !== null && Reflect.get(schema, "$schema") === METASCHEMA_URI[dialect]
}

function sidesText({ input, output, id }: Entry, withSchemas: boolean): string {
  return [input, ...(output === undefined ? [] : [output])].map((side) => {
    const which = side === input ? "input" : "output"
    const types = side.types.map(({ name, text, description }, index) => `${docComment([index === 0 ? `The ${which} of \`${id}\`.` : undefined, description])}export type ${name} = ${text}\n`)
    const schema = withSchemas ? `export const ${side.name} = ${side.schema}\n` : ""
    return `${types.join("")}${schema}`
  }).join("\n")
}

function importText(entries: readonly Entry[], text: string): string {
  const names = [
    ...(text.includes("FromSchema<unknown>(") ? ["FromSchema"] : []),
    ...(text.includes("Type.") ? ["Type"] : []),
    "callerOf",
    ...(entries.some(({ output }) => output === undefined) ? ["type MCPContentBlock"] : []),
    ...(entries.length === 0 ? [] : ["type OperationContext"]),
    "type OperationSource",
    ...(entries.length === 0 ? [] : ["type ResponseEnvelope"]),
  ]
  return `import { ${names.join(", ")} } from "mcp-operations"\n\n`
}

function clientText(client: string, namespace: string, entries: readonly Entry[]): string {
  const methods = entries.map((entry) => `${docComment([entry.json.title, entry.json.description], "  ")}  ${methodName(entry.method)}(${parameterText(entry)}, context?: OperationContext): Promise<ResponseEnvelope<${dataType(entry)}>>\n`)
  const calls = entries.map(({ id, method }) => `    ${method === "__proto__" ? `["__proto__"]` : memberName(method)}: (input, context) => call(${stringLiteral(id)}, input, context),\n`)
  const call = entries.length === 0 ? `  callerOf(source)\n` : `  const call = callerOf(source)\n`
  return `${docComment([`The operations of ${quoted(namespace)}.`])}export interface ${client} {
${methods.join("")}}

${docComment([`The operations of ${quoted(namespace)}, called through a registry, an environment of one, or a connected client.`])}export function create${client}(source: OperationSource): ${client} {
${call}  return {
${calls.join("")}  }
}
`
}

/** `new` without quotes would be a constructor. */
function methodName(name: string): string {
  return name === "new" ? `"new"` : memberName(name)
}

/** For the target without a client: inputs and outputs by operation id. */
function mapText(client: string, namespace: string, entries: readonly Entry[]): string {
  const members = entries.map(({ id, json, input, output }) => `${docComment([json.title, json.description], "  ")}  ${memberName(id)}: { input: ${input.name}; output: ${output?.name ?? "unknown"} }\n`)
  return `${docComment([`The inputs and outputs of the operations of ${quoted(namespace)}, by their ids.`])}export interface ${client} {
${members.join("")}}
`
}

function parameterText({ input, json }: Entry): string {
  return acceptsNothing(json.inputSchema) ? `input?: ${input.name}` : `input: ${input.name}`
}

/** True where a call without any argument fits, as far as the required names say. */
function acceptsNothing(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return true
  const { required, $ref, allOf, anyOf, oneOf } = schema as Record<string, unknown> // An object: each member may be there or not.
  return (!Array.isArray(required) || required.length === 0) && [$ref, allOf, anyOf, oneOf].every((part) => part === undefined)
}

function dataType({ output }: Entry): string {
  return output?.name ?? "MCPContentBlock[]"
}

function quoted(namespace: string): string {
  return `server \`${namespace}\``
}

/** The comment at the top of a file, ended by an empty line. */
export function headerText(servers: readonly ServerOperations[], header = `Made by \`mcp-operations generate\` from ${servers.map(({ namespace }) => namespace).join(", ")}. Changes are lost when it is made again.`): string {
  const lines = header.split(/\r\n?|\n|\u2028|\u2029/)
  return header === "" ? "" : `${lines.map((line) => `// ${line}`.trimEnd()).join("\n")}\n\n`
}
