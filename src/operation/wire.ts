/**
 * The wire form of an operation: its spec as plain JSON, and back.
 *
 * In: a spec with TypeBox schemas. Out: JSON whose schemas are the JSON Schemas they came from, in one fixed order of members,
 * so that two processes give equal bytes. Schemas that JSON Schema cannot say make an operation local only.
 * An object that knows the sources of its schemas (`WIRE_SCHEMAS`) is asked for these: nothing is converted to be sent.
 */
import { Kind, TransformKind, Type, type Static, type TSchema } from "@sinclair/typebox"
import { CallError } from "../error.js"
import { FromSchema, collectErrors, sourceOf, type Dialect } from "../schema.js"
import { AccessControl } from "./identity.js"
import { operationId } from "./names.js"
import type { ErrorSpec, OperationSpec } from "./spec.js"

const DialectName = Type.Union(
  (["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const).map((dialect) => Type.Literal(dialect)),
)

/** The wire form of a spec. `dialect` names, by member, the dialect of a schema that was converted with that option. */
export const OperationSpecJSON = Type.Object({
  name: Type.String(),
  namespace: Type.String(),
  version: Type.String(),
  type: Type.Union([Type.Literal("query"), Type.Literal("mutation"), Type.Literal("subscription")]),
  title: Type.Optional(Type.String()),
  description: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  inputSchema: Type.Unknown(),
  outputSchema: Type.Unknown(),
  dialect: Type.Optional(Type.Object({ inputSchema: Type.Optional(DialectName), outputSchema: Type.Optional(DialectName) })),
  errorSchemas: Type.Optional(
    Type.Array(Type.Object({ code: Type.String(), description: Type.Optional(Type.String()), schema: Type.Optional(Type.Unknown()) })),
  ),
  accessControl: Type.Optional(AccessControl),
  annotations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  icons: Type.Optional(Type.Array(Type.Unknown())),
  trust: Type.Optional(Type.Array(Type.String())),
  _meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type OperationSpecJSON = Static<typeof OperationSpecJSON>

/** The key under which an object keeps the JSON Schemas that its `inputSchema` and `outputSchema` come from. */
export const WIRE_SCHEMAS: unique symbol = Symbol.for("mcp-operations.wireSchemas")

/** The sources of a spec's schemas, as they stand in its wire form. */
export interface WireSchemas {
  readonly inputSchema: unknown
  readonly outputSchema: unknown
  readonly dialect?: OperationSpecJSON["dialect"] | undefined
}

/**
 * The wire form of a spec.
 *
 * @throws CallError CONFIGURATION_ERROR where a schema is one that JSON Schema cannot say (Date, BigInt, Function, Transform, a
 * kind of the host's own), with its pointer and kind.
 */
export function specToJSON(spec: OperationSpec): OperationSpecJSON {
  const id = operationId(spec)
  const { inputSchema, outputSchema, dialect } = wireSchemasOf(spec, id)
  const json: OperationSpecJSON = {
    name: spec.name,
    namespace: spec.namespace,
    version: spec.version,
    type: spec.type,
    ...(spec.title === undefined ? {} : { title: spec.title }),
    description: spec.description,
    ...(spec.tags === undefined ? {} : { tags: [...spec.tags] }),
    inputSchema,
    outputSchema,
  }
  if (dialect !== undefined) json.dialect = dialect
  if (spec.errorSchemas !== undefined) json.errorSchemas = spec.errorSchemas.map((error, index) => errorToJSON(error, id, index))
  if (spec.accessControl !== undefined) json.accessControl = spec.accessControl
  if (spec.annotations !== undefined) json.annotations = spec.annotations
  if (spec.icons !== undefined) json.icons = [...spec.icons]
  if (spec.trust !== undefined) json.trust = [...spec.trust]
  if (spec._meta !== undefined) json._meta = spec._meta
  return json
}

/**
 * The spec that a wire form stands for. Its schemas are converted when they are first read.
 *
 * @throws CallError CONFIGURATION_ERROR where the JSON is no wire form; `details.issues` says what is wrong.
 */
export function specFromJSON(json: unknown): OperationSpec {
  const issues = collectErrors(OperationSpecJSON, json)
  if (issues.length > 0) {
    const list = issues.map((issue) => `${issue.path || "/"}: ${issue.message}`).join("; ")
    throw new CallError("CONFIGURATION_ERROR", `This is no wire form of an operation: ${list}`, { details: { issues } })
  }
  // The check before is what makes it one.
  const wire = json as OperationSpecJSON
  operationId(wire)
  return new WireSpec(wire)
}

/** A spec over its wire form: plain members as they are, schemas converted when first read. */
class WireSpec implements OperationSpec {
  readonly name: string
  readonly namespace: string
  readonly version: string
  readonly type: OperationSpec["type"]
  readonly title?: string
  readonly description: string
  readonly tags?: readonly string[]
  readonly accessControl?: AccessControl
  readonly annotations?: Readonly<Record<string, unknown>>
  readonly icons?: readonly unknown[]
  readonly trust?: readonly string[]
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly #wire: OperationSpecJSON
  #input: TSchema | undefined
  #output: TSchema | undefined
  #errors: readonly ErrorSpec[] | undefined

  constructor(wire: OperationSpecJSON) {
    this.#wire = wire
    this.name = wire.name
    this.namespace = wire.namespace
    this.version = wire.version
    this.type = wire.type
    if (wire.title !== undefined) this.title = wire.title
    this.description = wire.description
    if (wire.tags !== undefined) this.tags = wire.tags
    if (wire.accessControl !== undefined) this.accessControl = wire.accessControl
    if (wire.annotations !== undefined) this.annotations = wire.annotations
    if (wire.icons !== undefined) this.icons = wire.icons
    if (wire.trust !== undefined) this.trust = wire.trust
    if (wire._meta !== undefined) this._meta = wire._meta
  }

  get inputSchema(): TSchema {
    return (this.#input ??= convert(this.#wire.inputSchema, this.#wire.dialect?.inputSchema))
  }

  get outputSchema(): TSchema {
    return (this.#output ??= convert(this.#wire.outputSchema, this.#wire.dialect?.outputSchema))
  }

  get errorSchemas(): readonly ErrorSpec[] | undefined {
    return (this.#errors ??= this.#wire.errorSchemas?.map((error) => new WireError(error)))
  }

  get [WIRE_SCHEMAS](): WireSchemas {
    return this.#wire
  }

  toJSON(): OperationSpecJSON {
    return this.#wire
  }
}

/** A declared error over its wire form: a registry reads the codes of all operations and needs no schema for that. */
class WireError implements ErrorSpec {
  readonly code: string
  readonly description?: string
  readonly #wire: unknown
  #schema: TSchema | undefined

  constructor({ code, description, schema }: NonNullable<OperationSpecJSON["errorSchemas"]>[number]) {
    this.code = code
    if (description !== undefined) this.description = description
    this.#wire = schema
  }

  get schema(): TSchema | undefined {
    if (this.#wire === undefined) return undefined
    return (this.#schema ??= convert(this.#wire, undefined))
  }
}

function convert(schema: unknown, dialect: Dialect | undefined): TSchema {
  return FromSchema(schema, dialect === undefined ? {} : { dialect })
}

function wireSchemasOf(spec: OperationSpec & { readonly [WIRE_SCHEMAS]?: WireSchemas }, id: string): WireSchemas {
  const known = spec[WIRE_SCHEMAS]
  if (known !== undefined) return known
  const input = schemaToJSON(spec.inputSchema, id, "/inputSchema")
  const output = schemaToJSON(spec.outputSchema, id, "/outputSchema")
  if (input.dialect === undefined && output.dialect === undefined) return { inputSchema: input.schema, outputSchema: output.schema }
  return {
    inputSchema: input.schema,
    outputSchema: output.schema,
    dialect: {
      ...(input.dialect === undefined ? {} : { inputSchema: input.dialect }),
      ...(output.dialect === undefined ? {} : { outputSchema: output.dialect }),
    },
  }
}

function errorToJSON({ code, description, schema }: ErrorSpec, id: string, index: number): NonNullable<OperationSpecJSON["errorSchemas"]>[number] {
  return {
    code,
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { schema: schemaToJSON(schema, id, `/errorSchemas/${String(index)}/schema`).schema }),
  }
}

function schemaToJSON(schema: TSchema, id: string, pointer: string): { schema: unknown; dialect?: Dialect | undefined } {
  const source = sourceOf(schema)
  if (source !== undefined) return source
  refuseLocalKinds(schema, id, pointer)
  const json: unknown = JSON.parse(JSON.stringify(schema))
  return { schema: json }
}

const SAYABLE = new Set(
  "Any Array Boolean Import Integer Intersect Literal Never Not Null Number Object Record Ref String TemplateLiteral This Tuple Union Unknown".split(" "),
)
const DATA_MEMBERS = new Set(["default", "examples", "const", "enum"])

function refuseLocalKinds(node: unknown, id: string, pointer: string): void {
  if (typeof node !== "object" || node === null) return
  if (Array.isArray(node)) {
    node.forEach((child, index) => refuseLocalKinds(child, id, `${pointer}/${String(index)}`))
    return
  }
  const kind: unknown = Reflect.get(node, Kind)
  const transform: unknown = Reflect.get(node, TransformKind)
  if (transform !== undefined) refuse("Transform", id, pointer)
  if (kind !== undefined) {
    // A node that FromSchema made has a JSON Schema, whatever its kind.
    if (sourceOf(node as TSchema) !== undefined) return
    if (typeof kind !== "string" || !SAYABLE.has(kind)) refuse(typeof kind === "string" ? kind : "unnamed kind", id, pointer)
  }
  for (const [key, child] of Object.entries(node)) {
    if (!DATA_MEMBERS.has(key)) refuseLocalKinds(child, id, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`)
  }
}

function refuse(kind: string, id: string, pointer: string): never {
  throw new CallError("CONFIGURATION_ERROR", `"${id}" is local only: JSON Schema has no word for the ${kind} at ${pointer}`, {
    details: { operationId: id, pointer, kind, remedy: "use a schema that JSON can carry, or keep the operation in this process" },
  })
}
