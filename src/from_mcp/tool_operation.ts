/**
 * A tool of an MCP server as an operation.
 *
 * In: a listed tool, and what its client knows. Out: an object that is spec and handler in one. Its schemas are converted when
 * they are first read, so that a thousand tools cost nothing until one of them is called. Nobody spreads or clones it.
 */
import { Type, type TSchema } from "@sinclair/typebox"
import { CallError, isCallError } from "../error.js"
import {
  WIRE_SCHEMAS,
  markValidatesInput,
  specToJSON,
  toNamespace,
  type AccessControl,
  type OperationHandler,
  type OperationSpec,
  type OperationSpecJSON,
  type OperationType,
  type WireSchemas,
} from "../operation.js"
import { FromSchema, collectErrors, compile, lossOf, prepareInput, type SchemaIssue, type SchemaLoss } from "../schema.js"
import type { MCPClientOptions } from "./client_options.js"
import { clip } from "./clip.js"
import type { ListedTool } from "./read_tool.js"
import type { AnswerReading } from "./result_envelope.js"
import type { Warn } from "./warning_log.js"

/** What the tools of one client have in common. */
export interface ToolHome {
  /** The name that the client was given. */
  readonly server: string
  readonly version: string
  readonly options: MCPClientOptions
  readonly warn: Warn
  call(tool: ToolOperation, ...args: Parameters<OperationHandler>): ReturnType<OperationHandler>
}

/** A schema of a tool, converted. */
interface Converted {
  readonly schema: TSchema
  readonly losses: readonly SchemaLoss[]
}

const MESSAGE_LOSSES = 5
const NOTHING_LOST: readonly SchemaLoss[] = []
const UNKNOWN: Converted = { schema: Type.Unknown(), losses: NOTHING_LOST }

/** The operation of one tool. */
export class ToolOperation implements OperationSpec {
  readonly name: string
  readonly namespace: string
  readonly version: string
  readonly type: OperationType
  readonly title?: string
  readonly description: string
  readonly annotations?: Readonly<Record<string, unknown>>
  readonly icons?: readonly unknown[]
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly accessControl?: AccessControl
  readonly handler: OperationHandler
  readonly #id: string
  readonly #tool: ListedTool
  readonly #home: ToolHome
  #input: Converted | undefined
  #output: Converted | undefined
  #fitsInput: ((value: unknown) => boolean) | undefined
  #reading: AnswerReading | undefined

  constructor(tool: ListedTool, home: ToolHome) {
    this.#tool = tool
    this.#home = home
    this.name = tool.name
    this.namespace = toNamespace(home.server)
    this.#id = `${this.namespace}.${this.name}`
    this.version = home.version
    this.type = home.options.trusted === true && tool.annotations?.["readOnlyHint"] === true ? "query" : "mutation"
    if (tool.title !== undefined) this.title = tool.title
    this.description = tool.description
    if (tool.annotations !== undefined) this.annotations = tool.annotations
    if (tool.icons !== undefined) this.icons = tool.icons
    if (tool.meta !== undefined) this._meta = tool.meta
    const access = accessOf(tool, home)
    if (access !== undefined) this.accessControl = access
    this.handler = markValidatesInput((input: unknown, context) => home.call(this, input, context))
  }

  get inputSchema(): TSchema {
    return this.#inputConverted().schema
  }

  get outputSchema(): TSchema {
    return this.#outputConverted().schema
  }

  get [WIRE_SCHEMAS](): WireSchemas {
    return { inputSchema: this.#tool.inputSchema, outputSchema: this.#tool.outputSchema ?? {} }
  }

  toJSON(): OperationSpecJSON {
    return specToJSON(this)
  }

  /** The operation's id. */
  get id(): string {
    return this.#id
  }

  /** How messages name it. */
  get subject(): string {
    return `Server "${this.#home.server}", tool "${clip(this.name, 200)}"`
  }

  /** The tool as it was listed. */
  get listed(): ListedTool {
    return this.#tool
  }

  /** The input as it is sent: the same reference unless the client's `input` option asks for more. */
  prepared(input: unknown): unknown {
    const { input: options } = this.#home.options
    return options === undefined ? input : prepareInput(this.inputSchema, input, options)
  }

  /** What does not fit in an input; empty where all does. */
  inputIssues(input: unknown): readonly SchemaIssue[] {
    this.#fitsInput ??= compile(this.inputSchema)
    return this.#fitsInput(input) ? NO_ISSUES : collectErrors(this.inputSchema, input)
  }

  /** What is needed to read an answer. */
  get reading(): AnswerReading {
    return (this.#reading ??= this.#readingOf())
  }

  /** What of each schema is not enforced; converts both. */
  get losses(): { readonly inputSchema: readonly SchemaLoss[]; readonly outputSchema: readonly SchemaLoss[] } {
    return { inputSchema: this.#inputConverted().losses, outputSchema: this.#outputConverted().losses }
  }

  #readingOf(): AnswerReading {
    const { options, server } = this.#home
    const base = { server, tool: this.name, normalize: options.normalize ?? "cast", parseText: options.parseText ?? false }
    if (this.#tool.outputSchema === undefined) return { ...base, output: undefined }
    const { schema, losses } = this.#outputConverted()
    const unchecked = losses.length === 0 ? undefined : [...new Set(losses.map((loss) => loss.pointer))]
    return { ...base, output: { schema, fits: compile(schema), unchecked } }
  }

  #inputConverted(): Converted {
    return (this.#input ??= this.#convert("inputSchema", this.#tool.inputSchema))
  }

  #outputConverted(): Converted {
    const { outputSchema } = this.#tool
    return (this.#output ??= outputSchema === undefined ? UNKNOWN : this.#convert("outputSchema", outputSchema))
  }

  #convert(member: "inputSchema" | "outputSchema", source: unknown): Converted {
    const converted = convert(source, this.#home.options.formats ?? "annotate")
    const { losses } = converted
    if (losses.length > 0) {
      const shown = losses.slice(0, MESSAGE_LOSSES).map((loss) => `${loss.pointer === "" ? "/" : loss.pointer}: ${loss.keyword}, ${loss.reason}`)
      const more = losses.length > MESSAGE_LOSSES ? `; and ${losses.length - MESSAGE_LOSSES} more` : ""
      this.#home.warn("schema", `Tool "${this.name}": parts of its ${member} are not enforced: ${shown.join("; ")}${more}`, this.name)
    }
    return converted
  }
}

const NO_ISSUES: readonly SchemaIssue[] = []

function accessOf(tool: ListedTool, { server, options: { access } }: ToolHome): AccessControl | undefined {
  if (typeof access !== "function") return access
  try {
    return access(tool.wire)
  } catch (cause) {
    throw new CallError("CONFIGURATION_ERROR", `Server "${server}", tool "${clip(tool.name, 200)}": the access function of the client's options threw`, {
      details: { server, tool: tool.name },
      cause,
    })
  }
}

/** A schema that cannot be converted at all checks nothing, and says so. */
function convert(source: unknown, format: "annotate" | "assert"): Converted {
  try {
    const schema = FromSchema(source, { format })
    return { schema, losses: lossOf(schema) }
  } catch (error) {
    const { pointer, keyword, reason } = isCallError(error) ? error.details : {}
    const text = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise)
    const why = error instanceof Error ? error.message : "the schema cannot be converted"
    return { schema: Type.Unknown(), losses: [{ pointer: text(pointer, ""), keyword: text(keyword, ""), reason: text(reason, why) }] }
  }
}
