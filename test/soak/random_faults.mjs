/**
 * Which faults the soak throws at random, and how often: about one call in 100 meets one.
 *
 * A fault is listed as often as it is to come. Crashes are few: starting a process costs a hundred times what a call does.
 */
const anywhere = [
  { do: "delay", ms: 100 },
  { do: "delay", ms: 3_500 },
  { do: "hang" },
  { do: "hang", when: "before" },
  { do: "bytes" },
  { do: "textId" },
  { do: "twice" },
  { do: "huge", bytes: 150_000 },
  { do: "result", value: null },
  { do: "answer", value: { error: "boom" } },
  { do: "error" },
  { do: "error" },
  { do: "isError" },
  { do: "change", times: 3 },
]

export const stdioFaults = {
  share: 0.01,
  faults: [
    ...anywhere,
    { do: "wrongId" },
    { do: "junk", text: "Calling API...\n" },
    { do: "junk", text: "Calling API..." },
    { do: "junk", text: "noise\n", times: 50 },
    { do: "stderr", bytes: 200_000 },
    { do: "crash" },
    { do: "crash", when: "after" },
    { do: "crash", when: "after", signal: "SIGKILL" },
    { do: "half" },
    { do: "closeStdout" },
    { do: "child" },
  ],
}

export const httpFaults = {
  share: 0.01,
  faults: [
    ...anywhere,
    { do: "junk", text: "Calling API..." },
    { do: "cut" },
    { do: "cut", when: "after" },
    { do: "cut", when: "within" },
    { do: "reset", when: "after" },
    { do: "status", status: 500 },
    { do: "status", status: 503 },
    { do: "status", status: 502, when: "after" },
    { do: "status", status: 429, headers: { "retry-after": "1" } },
    { do: "status", status: 400 },
  ],
}
