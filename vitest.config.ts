import { defineConfig } from "vitest/config"

/** Lint and graph proofs, random faults and whole corpora: minutes of work that every verdict does, and `TESTS=all npm test`. */
const LONG = [
  "test/codegen/{corpus,static_types}.test.ts",
  "test/e2e/{closing_any_time,token_store}.test.ts",
  "test/faults/**",
  "test/from_mcp/cases/{lost_connections,payload,worst_moments}.test.ts",
  "test/schema/{conform_report,corpus,strangers}.test.ts",
  "test/structure/{fences,graph_fences,observability_page,tools_page}.test.ts",
]

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**", ...(process.env["TESTS"] === "all" ? [] : LONG)],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Two cores are the common size of a build machine; more workers make child processes late, not tests quick.
    maxWorkers: 2,
    typecheck: { enabled: false },
  },
})
