import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/no-orphans.ts',
    // Long: that a machine has other things to do is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Many tests wait for programs that they start, so two files at once share two cores well.
    maxWorkers: 2,
  },
})
