import { defineConfig } from "vitest/config"

/** Lint and graph proofs, random faults, many processes and whole corpora: minutes of work that every verdict does, and `TESTS=all npm test`. */
const LONG = [
  "test/cli/{nats_call,nats_serve,signals,terminal}.test.ts",
  "test/cli/source/found_config.test.ts",
  "test/codegen/{corpus,static_types}.test.ts",
  "test/e2e/{built_package,closing_any_time,token_store}.test.ts",
  "test/faults/**",
  "test/from_mcp/cases/{calls,lost_connections,payload,progress,servers,stdio,worst_moments}.test.ts",
  "test/from_mcp/{call_again,idle_check}.test.ts",
  "test/from_mcp/stdio/orphan_guard.test.ts",
  "test/nats/{attacks,faults}/**",
  "test/nats/{end_to_end,hostile_workers,remote_faults,server_fixture}.test.ts",
  "test/schema/{conform_report,corpus,strangers}.test.ts",
  "test/structure/{fences,graph_fences,loaded_modules,observability_page,readme,tools_page}.test.ts",
]

/** Tests that start nothing and change nothing outside of themselves: they share the modules of their worker, which is most of their time. */
const SHARING = [
  "test/{call,contract,drift,envelope,middleware,operation,registry,schema}/**/*.test.ts",
  "test/{envelope,error,middleware,operation,schema}.test.ts",
  "test/codegen/{modules,write}.test.ts",
]
/** Looks at what the whole process holds. */
const ALONE = ["test/schema/native_kinds.test.ts"]

const exclude = ["test/bench/**", ...(process.env["TESTS"] === "all" ? [] : LONG)]

export default defineConfig({
  test: {
    // What ends a test that hangs; says nothing of how quick anything is.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // What is polled for comes, or the test hangs: a second is too little for a machine that others use as well.
    expect: { poll: { timeout: 30_000 } },
    // Two cores are the common size of a build machine; more workers make child processes late, not tests quick.
    maxWorkers: 2,
    typecheck: { enabled: false },
    projects: [
      { extends: true, test: { name: "sharing", include: SHARING, exclude: [...exclude, ...ALONE], isolate: false } },
      { extends: true, test: { name: "own", include: ["test/**/*.test.ts"], exclude: [...exclude, ...SHARING], isolate: true } },
      { extends: true, test: { name: "alone", include: ALONE, exclude, isolate: true } },
    ],
  },
})
