import { expect, test } from 'vitest'
import { claudeEntry } from '../../src/agents/claude/entry.ts'
import { createRunFailure } from '../../src/cli/run-failure.ts'

const problem = 'Not logged in · Please run /login'

test('a failure that the agent reported counts more than its exit code', () => {
  const failure = createRunFailure()
  failure.observe({ type: 'agent_start' })
  expect(failure.isReported()).toBe(false)
  failure.observe({ type: 'agent_end', stopReason: 'error', errorMessage: problem })
  expect(failure.isReported()).toBe(true)
  expect(failure.advice(claudeEntry)).toContain('Claude Code needs a login. Run `claude`')
})

test('a subagent that fails does not end the run, and errors of an earlier run are forgotten', () => {
  const failure = createRunFailure()
  const end = { type: 'agent_end', stopReason: 'error', errorMessage: problem } as const
  failure.observe({ type: 'agent_start' })
  failure.observe({ ...end, parentToolCallId: 't1' })
  expect(failure.isReported()).toBe(false)
  failure.observe({ type: 'error', code: 'agent_exit', message: problem, fatal: true })
  failure.observe({ type: 'agent_start' })
  expect(failure.advice(claudeEntry)).toBeUndefined()
})
