import type { Reporter, TestCase } from 'vitest/node'

/** Names the tests that failed and then passed, so that nobody overlooks them. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its path.
export default class FlakyReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return
    process.stdout.write(`flaky: ${test.module.relativeModuleId} > ${test.fullName}\n`)
  }
}
