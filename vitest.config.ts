import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Two cores are the common size of a build machine; more workers make child processes late, not tests quick.
    maxWorkers: 2,
    typecheck: { enabled: false },
  },
})
