import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Takes as long as all others together take in a worker, so it starts first. */
const longest = 'test/web/browser.test.ts'

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith(longest)
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))]
  }
}

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
    sequence: { sequencer: LongestFirst },
  },
})
