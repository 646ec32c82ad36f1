import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { pi } from '../../../src/agents/pi/index.ts'
import type { AgentCommand, AgentEvent } from '../../../src/events/types.ts'
import { claudeSetup, installedClaudes } from '../../agents/claude.ts'
import { piSetup } from '../../agents/pi.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

let model: Awaited<ReturnType<typeof startModel>>
beforeEach(async () => {
  model = await startModel()
})
afterEach(() => model.close())

/** Writes a file below a directory. */
const write = (directory: string, name: string, text: string): void => {
  mkdirSync(join(directory, name, '..'), { recursive: true })
  writeFileSync(join(directory, name), text)
}
const commandsIn = (events: readonly AgentEvent[]): readonly AgentCommand[] =>
  events
    .flatMap((event) =>
      event.type === 'session_start' || event.type === 'session_update'
        ? [event.commands ?? []]
        : [],
    )
    .findLast(({ length }) => length > 0) ?? []
const skill = '---\nname: deploy\ndescription: Deploys the project.\n---\nDo it.\n'

/** One run of the real program; returns its last list and checks that nothing else changed. */
const listOf = async (agent: typeof pi, setup: AgentSetup, modelName: string) => {
  const session = openLiveSession({ agent, setup, model: modelName })
  const run = await session.run('scenario:text please')
  await session.close()
  setup.remove()
  expect(textOf(run)).toBe('Hello from the model.')
  expect(ofType(session.events, 'error')).toEqual([])
  expect(ofType(session.events, 'session_start')).toHaveLength(1)
  return commandsIn(session.events)
}

test.each(['0.73', '0.87'] as const)('Pi %s lists its commands and skills', async (version) => {
  const setup = piSetup(version, model.url)
  const directory = setup.env.PI_CODING_AGENT_DIR ?? ''
  write(directory, 'prompts/review.md', '---\ndescription: Reviews a change.\n---\nReview $1.\n')
  write(directory, 'skills/deploy/SKILL.md', skill)
  const commands = await listOf(pi, setup, 'fake/fake-sonnet')
  expect(commands).toContainEqual(
    expect.objectContaining({ name: 'review', kind: 'command', description: 'Reviews a change.' }),
  )
  expect(commands).toContainEqual({
    ...{ name: 'skill:deploy', kind: 'skill' },
    description: 'Deploys the project.',
  })
})

const claudes = installedClaudes()
if (claudes.length === 0) console.log('skipped: Claude Code: CLAUDE_BIN does not name one')

test.each(claudes)('Claude Code $version lists commands, and what they do', async ({ bin }) => {
  const { setup } = claudeSetup(model.url, bin)
  if (!setup) throw new Error('It went away.')
  write(setup.cwd, '.claude/commands/weed.md', '---\ndescription: Weeds.\n---\nWeed.\n')
  const commands = await listOf(claude, setup, 'claude-sonnet-4-5')
  const weed = commands.find(({ name }) => name === 'weed')
  expect(weed).toMatchObject({ kind: 'command' })
  expect(weed?.description).toContain('Weeds.')
})
