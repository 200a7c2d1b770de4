/**
 * The faults of the matrix, and what each of them may cost.
 *
 * A row is one fault: what the server does (`faults(at)`: `at` is the number of the call that it meets, 1 of 1 or 32 of 64), and,
 * for each way to the server, what the call that it meets ends with and what the calls beside it may end with. An end is "ok"
 * (an envelope), or code and outcome of a CallError. Where a way is left out, the fault does not exist there.
 *
 * Of a row: `script` and `client` add to the server's script and the client's options; `timeoutMs` and `idleTimeoutMs` are given by
 * number of calls; `tool` is called instead of `t`; `lone` leaves the 64 out; `idleKill` ends the server while no call is under
 * way; `progress` is how many steps must be heard; `appears` is a tool that must be listed in the end; `anyData` is set where the
 * answer cannot repeat the call's number. Of a cost: how often the met call may run (`runs`, 1), how often the server is started
 * again (`restarts`, 0; `anyRestarts` where that is not laid down), how many handshakes it may see over HTTP (`sessions`),
 * what the call right after may end with (`again`, "ok"; with `isUnusable` the same as the met one), `isCancelled` where the
 * server must be told.
 *
 * These follow from three rules: what the server answered is an envelope; a call that may have reached a tool and has no answer
 * is unknown and is not sent again; a call that provably was not sent, or was refused before it began, costs nothing.
 */
const LOST = "TRANSPORT_ERROR unknown"
const LATE = "TIMEOUT unknown"
/** The call is met, and those beside it were under way through the same connection. */
const ALL_LOST = { met: LOST, others: ["ok", LOST], restarts: 1 }
/** The older transport has one stream for all. A message that comes when it is gone is refused with 404. */
const STREAM_LOST = { met: LOST, others: ["ok", LOST, "TRANSPORT_ERROR failed"], sessions: 2 }
const OK = { met: "ok" }
const everywhere = (cost) => ({ stdio: cost, http: cost, sse: cost })
const overHTTP = (cost) => ({ http: cost, sse: cost })
/** A limit that passes: 2 s for one call; 64 at once take their time on a small machine, and longer to be stuck. */
const SHORT = { 1: 2_000, 64: 4_000 }
const outlasts = (fault) => (at) => [{ at, ...fault, ms: at === 1 ? 5_000 : 7_000 }]
const meets = (fault) => (at) => [{ at, ...fault }]

export const FAULTS = [
  // The process ends.
  { name: "crash before the tool runs", faults: meets({ do: "crash" }), over: everywhere(ALL_LOST) },
  { name: "crash after the tool ran", faults: meets({ do: "crash", when: "after" }), over: everywhere(ALL_LOST) },
  // Until the system has closed the socket of a killed process, it takes connections, and resets them.
  { name: "killed after the tool ran", faults: meets({ do: "crash", when: "after", signal: "SIGKILL" }), over: { ...everywhere(ALL_LOST), http: { ...ALL_LOST, again: ["ok", LOST] } } },
  { name: "half an answer, then a crash", faults: meets({ do: "half" }), over: everywhere(ALL_LOST) },
  { name: "crash, and twice at its next starts", faults: (at) => [{ at, do: "crash" }, { on: "start", at: [2, 3], do: "crash" }], over: { stdio: { ...ALL_LOST, restarts: 3 } } },
  { name: "crash, and silent at its next start", faults: (at) => [{ at, do: "crash" }, { on: "start", at: 2, do: "hang" }], client: { connectTimeoutMs: 5_000 }, over: { stdio: { ...ALL_LOST, restarts: 2 } } },
  { name: "crash, and refuses the next handshake", faults: (at) => [{ at, do: "crash" }, { on: "initialize", at: 2, do: "error" }], over: { stdio: { ...ALL_LOST, restarts: 2 } } },
  { name: "crash, and refuses the next listing", faults: (at) => [{ at, do: "crash" }, { on: "list", at: 2, do: "error" }], over: { stdio: { met: LOST, others: ["ok", LOST], anyRestarts: true } } },
  { name: "crash that leaves processes behind", faults: meets({ do: "crash" }), script: { grandchildren: 2 }, over: { stdio: ALL_LOST } },
  { name: "killed between two calls", idleKill: true, faults: () => [], over: everywhere({ met: "ok", restarts: 1 }) },
  { name: "crash, repeating by hint allowed", faults: meets({ do: "crash", when: "after" }), tool: "safe", client: { trusted: true, retry: { hints: true } }, over: everywhere({ met: "ok", runs: 2, restarts: 1 }) },
  { name: "crash, repeating by id allowed", faults: meets({ do: "crash", when: "after" }), client: { retry: { operations: ["demo.t"] } }, over: everywhere({ met: "ok", runs: 2, restarts: 1 }) },
  { name: "crash, hint of a server that is not trusted", faults: meets({ do: "crash", when: "after" }), tool: "safe", client: { retry: { hints: true } }, over: everywhere(ALL_LOST) },

  // It lives, and is silent or slow.
  { name: "hang", faults: meets({ do: "hang" }), timeoutMs: SHORT, over: everywhere({ met: LATE, isCancelled: true }) },
  { name: "hang before the tool runs", faults: meets({ do: "hang", when: "before" }), timeoutMs: SHORT, over: everywhere({ met: LATE, isCancelled: true }) },
  { name: "freeze of the whole process", faults: outlasts({ do: "freeze" }), timeoutMs: SHORT, over: everywhere({ met: LATE, others: ["ok", LATE] }) },
  { name: "delay within the deadline", faults: meets({ do: "delay", ms: 250 }), over: everywhere(OK) },
  { name: "delay past the deadline", faults: outlasts({ do: "delay" }), timeoutMs: SHORT, over: everywhere({ met: LATE, isCancelled: true }) },
  { name: "delay past the idle limit", faults: outlasts({ do: "delay" }), idleTimeoutMs: SHORT, over: everywhere({ met: LATE, isCancelled: true }) },
  { name: "progress that extends the idle limit", faults: meets({ do: "progress", times: 5, ms: 600 }), idleTimeoutMs: SHORT, progress: 5, over: everywhere(OK) },

  // What it writes is wrong.
  { name: "junk lines", faults: meets({ do: "junk", text: "Calling API...\n" }), over: { stdio: OK } },
  { name: "a flood of junk lines", faults: meets({ do: "junk", text: "Calling API...\n", times: 2_000 }), over: { stdio: OK } },
  { name: "junk without a line end", faults: meets({ do: "junk", text: "Calling API..." }), over: { stdio: OK } },
  { name: "junk at its start", faults: () => [{ on: "start", do: "junk", text: "Starting v1.2\n" }], over: { stdio: OK } },
  { name: "an event that is no JSON", faults: meets({ do: "junk", text: "Calling API..." }), over: overHTTP(OK) },
  { name: "a document that is no JSON", script: { answers: "json" }, faults: meets({ do: "junk", text: "<html>" }), over: { http: { met: "PROTOCOL_ERROR unknown" } } },
  { name: "one byte at a time", faults: meets({ do: "bytes" }), over: everywhere(OK) },
  { name: "a document, one byte at a time", script: { answers: "json" }, faults: meets({ do: "bytes" }), over: { http: OK } },
  // Over Streamable HTTP an answer has its own stream, which ends without one.
  { name: "answer under a wrong id", faults: meets({ do: "wrongId" }), timeoutMs: SHORT, over: { stdio: { met: LATE }, sse: { met: LATE }, http: { met: LOST } } },
  { name: "answer under the id null", faults: meets({ do: "nullId" }), timeoutMs: SHORT, over: { stdio: { met: LATE }, sse: { met: LATE }, http: { met: LOST } } },
  { name: "document under a wrong id", script: { answers: "json" }, faults: meets({ do: "wrongId" }), over: { http: { met: "PROTOCOL_ERROR unknown" } } },
  { name: "answer under the id as text", faults: meets({ do: "textId" }), over: everywhere(OK) },
  { name: "answer twice", faults: meets({ do: "twice" }), over: everywhere(OK) },
  { name: "a result above the limit", faults: meets({ do: "huge", bytes: 300_000 }), client: { maxResultBytes: 100_000 }, over: everywhere({ met: "RESOURCE_EXHAUSTED unknown" }) },
  { name: "a document above the limit", script: { answers: "json" }, faults: meets({ do: "huge", bytes: 300_000 }), client: { maxResultBytes: 100_000 }, over: { http: { met: "RESOURCE_EXHAUSTED unknown" } } },
  { name: "result: null", faults: meets({ do: "result", value: null }), over: everywhere({ met: "PROTOCOL_ERROR unknown" }) },
  { name: "error: a text", faults: meets({ do: "answer", value: { error: "boom" } }), over: everywhere({ met: "PROTOCOL_ERROR unknown" }) },
  { name: "result with _meta: null", faults: meets({ do: "result", value: { content: [], _meta: null } }), anyData: true, over: everywhere(OK) },

  // It refuses.
  { name: "JSON-RPC error", faults: meets({ do: "error" }), over: everywhere({ met: "PROTOCOL_ERROR failed" }) },
  { name: "the tool's own failure", faults: meets({ do: "isError" }), over: everywhere(OK) },
  ...[401, 403].map((status) => ({ name: `status ${status}`, faults: meets({ do: "status", status }), over: overHTTP({ met: "AUTH_REQUIRED not_started", runs: 0 }) })),
  { name: "status 400", faults: meets({ do: "status", status: 400 }), over: overHTTP({ met: "TRANSPORT_ERROR failed" }) },
  { name: "status 404, no session", script: { sessions: false }, faults: meets({ do: "status", status: 404 }), over: overHTTP({ met: "TRANSPORT_ERROR failed" }) },
  { name: "status 429 with Retry-After", faults: meets({ do: "status", status: 429, headers: { "retry-after": "1" } }), over: overHTTP({ met: "TRANSPORT_ERROR not_started", others: ["ok", "TRANSPORT_ERROR not_started"], runs: 0 }) },
  ...[500, 502, 503].map((status) => ({ name: `status ${status}`, faults: meets({ do: "status", status }), over: overHTTP({ met: LOST }) })),
  { name: "status 503 after the tool ran", faults: meets({ do: "status", status: 503, when: "after" }), over: overHTTP({ met: LOST }) },
  { name: "status 503, repeating allowed", faults: meets({ do: "status", status: 503 }), client: { retry: { statuses: [503] } }, over: overHTTP(OK) },

  // Sessions and streams.
  { name: "sessions forgotten", faults: meets({ do: "forget" }), over: { http: { met: "ok", sessions: 2 } } },
  { name: "sessions forgotten again and again", faults: (at) => [{ at: [at, at + 400], do: "forget" }], lone: true, over: { http: { met: "TRANSPORT_ERROR not_started", runs: 0, sessions: 3, isUnusable: true } } },
  // Only the stream of the one answer breaks over Streamable HTTP.
  ...["before", "after", "within"].map((when) => ({ name: `connection cut ${when} the answer`, faults: meets({ do: "cut", when }), over: { http: { met: LOST }, sse: STREAM_LOST } })),
  { name: "document cut within", script: { answers: "json" }, faults: meets({ do: "cut", when: "within" }), over: { http: { met: LOST } } },
  { name: "all connections cut, sessions gone", faults: meets({ do: "reset", when: "after" }), over: { http: { met: LOST, others: ["ok", LOST], sessions: 2 }, sse: { ...STREAM_LOST, again: ["ok", LOST] } } },
  { name: "stream dropped, taken up again", script: { eventIds: true }, faults: meets({ do: "drop" }), over: { http: OK } },
  { name: "stream dropped twice", script: { eventIds: true }, faults: meets({ do: "drop", times: 2 }), over: { http: OK } },

  // What is around the messages.
  { name: "stdout closed", faults: meets({ do: "closeStdout" }), script: { ignoreEnd: true }, over: { stdio: ALL_LOST } },
  { name: "stdin closed", faults: meets({ do: "closeStdin" }), script: { ignoreEnd: true }, over: { stdio: { met: "ok", others: ["ok", LOST, LATE], again: ["ok", LOST], restarts: 1 } } },
  { name: "4 MB on stderr", faults: meets({ do: "stderr", bytes: 4_000_000 }), over: { stdio: OK } },
  { name: "a process left behind", faults: meets({ do: "child" }), over: { stdio: OK } },
  { name: "deaf to SIGTERM and the end of stdin", faults: () => [], script: { ignoreSigterm: true, ignoreEnd: true, grandchildren: 1 }, over: { stdio: OK } },
  { name: "tools that change", faults: meets({ do: "change", times: 3 }), appears: "extra", over: everywhere(OK) },
]
