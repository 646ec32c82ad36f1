import { expect, test } from 'vitest'
import { toolKindOf } from '../../../src/agents/tool-calls/tool-kind.ts'

test('the kind of a tool is found by its name, in any case', () => {
  expect(
    ['bash', 'Bash', 'MultiEdit', 'web_search', 'Task', 'constructor'].map(toolKindOf),
  ).toEqual(['shell', 'shell', 'edit', 'search', 'subagent', 'other'])
})
