import { expect, test } from 'vitest'
import { loadAgent } from '../../src/agents/index.ts'
import { agents } from '../../src/agents/table.ts'

/** The arguments that end a one-shot run of each agent which continues a conversation. */
test.each([
  ['codex', ['resume', 'id-1', 'Go on']],
  ['claude', ['--resume', 'id-1']],
  ['pi', ['--session', 'id-1', 'Go on']],
  ['gemini', ['--resume', 'id-1']],
  ['qwen', ['--resume', 'id-1']],
  ['opencode', ['--session', 'id-1', 'Go', 'on']],
  ['copilot', ['--resume=id-1']],
  ['cline', ['--id', 'id-1', 'Go on']],
])('%s continues a conversation', async (name, expected) => {
  const agent = await loadAgent(name)
  const extra = agent.resumeArgs?.('id-1') ?? []
  expect(agent.command('Go on', { extra }).slice(-expected.length)).toEqual(expected)
})

test('agents without one-shot runs have nothing to continue', async () => {
  const others = ['demo', 'acp', 'text'].filter((name) => name in agents)
  for (const name of others) expect((await loadAgent(name)).resumeArgs).toBeUndefined()
})
