import { memorySpillStore } from "../../src/middleware.js"
import { spillStoreContract } from "./spill_store.js"

spillStoreContract("the store in memory", () => memorySpillStore())
