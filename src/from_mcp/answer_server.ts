/**
 * Answers a server's requests with the host's handlers.
 *
 * In: handlers, and a port. Out: the capabilities to announce, and an answer or a refusal for each request.
 * What the server sends and what a handler gives are both held against the protocol here: neither side's word is taken.
 */
import { isObject } from "../schema.js"
import type { ClientHandlers, FormElicitation, ServerRequest, URLElicitation } from "./handlers.js"
import type { MCPPort } from "./port.js"
import { invalidParams as invalid } from "./request_refusal.js"

type Members = Readonly<Record<string, unknown>>
type Answer = (params: unknown, request: ServerRequest) => unknown

/** What a client with these handlers can say that it can do. */
export function capabilitiesOf({ roots, elicitation, sampling }: ClientHandlers): Record<string, object> {
  const modes = { ...(elicitation?.form !== undefined && { form: {} }), ...(elicitation?.url !== undefined && { url: {} }) }
  return {
    ...(roots !== undefined && { roots: {} }),
    ...(Object.keys(modes).length > 0 && { elicitation: modes }),
    ...(sampling !== undefined && { sampling: {} }),
  }
}

/** Gives the handlers to a port. */
export function answerServer(handlers: ClientHandlers, asker: Omit<ServerRequest, "signal">, onRequest: MCPPort["onRequest"]): void {
  for (const [method, answer] of answersOf(handlers)) onRequest(method, (params, { signal }) => answer(params, { ...asker, signal }))
}

function answersOf({ roots, elicitation, sampling }: ClientHandlers): Map<string, Answer> {
  const answers = new Map<string, Answer>()
  if (roots !== undefined) {
    answers.set("roots/list", async (_params, request) => ({ roots: checkedRoots(typeof roots === "function" ? await roots(request) : roots) }))
  }
  if (elicitation?.form !== undefined || elicitation?.url !== undefined) {
    answers.set("elicitation/create", (params, request) => elicited(membersOf(params), elicitation, request))
  }
  if (sampling !== undefined) {
    answers.set("sampling/createMessage", async (params, request) => {
      const { messages } = membersOf(params)
      if (!Array.isArray(messages)) throw invalid("messages")
      return checkedSample(await sampling({ ...membersOf(params), messages }, request))
    })
  }
  return answers
}

async function elicited(params: Members, handlers: NonNullable<ClientHandlers["elicitation"]>, request: ServerRequest): Promise<Members> {
  const { mode = "form" } = params
  if (mode === "form" && handlers.form !== undefined) {
    const question = formOf(params)
    return withDefaults(checkedAnswer(await handlers.form(question, request)), question.requestedSchema)
  }
  if (mode === "url" && handlers.url !== undefined) {
    const { action } = checkedAnswer(await handlers.url(pageOf(params), request))
    return { action }
  }
  throw invalid("mode")
}

function formOf({ message, requestedSchema }: Members): FormElicitation {
  if (typeof message !== "string") throw invalid("message")
  if (!isObject(requestedSchema)) throw invalid("requestedSchema")
  return { message, requestedSchema }
}

function pageOf({ message, url, elicitationId }: Members): URLElicitation {
  if (typeof message !== "string") throw invalid("message")
  if (typeof elicitationId !== "string") throw invalid("elicitationId")
  // Whoever opens it hands it to another program: nothing but a web page may come so far.
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw invalid("url")
  return { message, url, elicitationId }
}

/** The answer with the defaults that the server's form states for what was left out. */
function withDefaults(answer: CheckedAnswer, { properties }: Members): Members {
  if (answer.action !== "accept") return answer
  const { content = {} } = answer
  const missing = Object.entries(membersOf(properties)).flatMap(([name, schema]) =>
    !Object.hasOwn(content, name) && isObject(schema) && "default" in schema ? [[name, schema["default"]] as const] : [],
  )
  return { action: answer.action, content: Object.fromEntries([...Object.entries(content), ...missing]) }
}

interface CheckedAnswer extends Members {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: Members
}

// Handlers of hosts without types may give anything.

function checkedAnswer(answer: unknown): CheckedAnswer {
  const { action, content } = membersOf(answer)
  if (action === "accept") return isObject(content) ? { action, content } : { action }
  if (action === "decline" || action === "cancel") return { action }
  throw new TypeError("it gave no action of accept, decline or cancel")
}

function checkedRoots(roots: unknown): Members[] {
  if (!Array.isArray(roots)) throw new TypeError("it gave no list")
  return roots.map((root: unknown) => {
    const { uri, name } = membersOf(root)
    if (typeof uri !== "string" || !uri.startsWith("file://")) throw new TypeError("it gave a root without a file url")
    return { uri, ...(typeof name === "string" && { name }) }
  })
}

function checkedSample(answer: unknown): Members {
  const { role, content, model } = membersOf(answer)
  if ((role !== "assistant" && role !== "user") || typeof content !== "object" || content === null || typeof model !== "string") {
    throw new TypeError("it gave no role, content and model")
  }
  return membersOf(answer)
}

function membersOf(value: unknown): Members {
  return isObject(value) ? value : {}
}
