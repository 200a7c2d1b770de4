import { createInProcessTransport } from "../../src/call.js"
import { transportContract } from "../contract/transport.js"

transportContract({
  name: "the in-process transport",
  connect: (identity) => {
    const transport = createInProcessTransport(identity === undefined ? {} : { identify: () => identity })
    return Promise.resolve({ caller: transport, worker: transport, close: () => transport.close() })
  },
  breakDown: ({ caller }) => caller.close(),
})
