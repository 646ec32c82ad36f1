import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/agents/agent.ts'
import { claude } from '../../../src/agents/claude/index.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import { pi } from '../../../src/agents/pi/index.ts'
import { claudeSetup } from '../../agents/claude.ts'
import { codexModel, codexSetup } from '../../agents/codex.ts'
import { piSetup } from '../../agents/pi.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { type LiveSessionOptions, openLiveSession } from '../../support/live-session.ts'

interface Forkable {
  title: string
  agent: Agent
  model: string
  setUp(modelUrl: string): { setup: AgentSetup | undefined; reason?: string }
}

const all: Forkable[] = [
  {
    title: 'Pi 0.73',
    agent: pi,
    model: 'fake/fake-sonnet',
    setUp: (url) => ({ setup: piSetup('0.73', url) }),
  },
  {
    title: 'Pi 0.87',
    agent: pi,
    model: 'fake/fake-sonnet',
    setUp: (url) => ({ setup: piSetup('0.87', url) }),
  },
  {
    title: 'Claude Code',
    agent: claude,
    model: 'claude-sonnet-4-5',
    setUp: (url) => claudeSetup(url),
  },
  { title: 'Codex', agent: codex, model: codexModel, setUp: (url) => codexSetup(url) },
]

const installed = all.filter(({ title, setUp }) => {
  const { setup, reason } = setUp('http://127.0.0.1')
  setup?.remove()
  if (!setup) console.log(`skipped: ${title}: ${reason}`)
  return setup !== undefined
})

/** The real programs, with a scripted model. */
describe.each(installed)('a fork of a session with $title', ({ agent, model: name, setUp }) => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: AgentSetup
  const open: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    model = await startModel()
    const found = setUp(model.url).setup
    if (!found) throw new Error('the program went away')
    setup = found
  })
  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    setup.remove()
    await model.close()
  })

  const live = (more: Partial<LiveSessionOptions> = {}) => {
    const session = openLiveSession({ agent, setup, model: name, ...more })
    open.push(session)
    return session
  }
  type Live = ReturnType<typeof live>
  const nativeIdOf = ({ changes }: Live): string => {
    const id = changes.findLast(({ nativeId }) => nativeId !== undefined)?.nativeId
    if (id === undefined) throw new Error('the agent reported no id')
    return id
  }
  const sentToModel = () => JSON.stringify(model.requests.at(-1))

  test('knows the conversation, has an id of its own, and leaves the first one as it was', async () => {
    const source = live()
    await source.run('scenario:text the word is quince')
    await source.stop()
    const before = storedFiles(setup, nativeIdOf(source))
    expect(before).not.toEqual([])

    const fork = live({ forkedNativeId: nativeIdOf(source) })
    expect(textOf(await fork.run('scenario:text the word is medlar'))).toBe('Hello from the model.')
    expect(sentToModel()).toContain('quince')
    expect(nativeIdOf(fork)).not.toBe(nativeIdOf(source))
    expect(fork.changes.map(({ nativeId }) => nativeId)).not.toContain(nativeIdOf(source))
    await fork.stop()
    expect(storedFiles(setup, nativeIdOf(source))).toEqual(before)
    expect(fork.events.slice(0, 2)).toMatchObject([
      { type: 'session_start' },
      {
        type: 'session_update',
        notice: { level: 'info', text: 'Continues from session source, which stays as it is.' },
      },
    ])
    // What the first one used counts only there.
    const { output, costUsd } = usedBy(source)
    expect(usedBy(fork)).toMatchObject({ output, costUsd })

    // Each goes on by itself, in processes of its own.
    await fork.run('scenario:text again')
    expect(sentToModel()).toContain('medlar')
    expect(noticesOf(fork)).toHaveLength(1)
    await source.run('scenario:text again')
    expect(sentToModel()).toContain('quince')
    expect(sentToModel()).not.toContain('medlar')
  })

  const usedBy = ({ events }: Live) => {
    const totals = ofType(events, 'usage_update').at(-1)?.totals
    if (!totals) throw new Error('the agent reported no usage')
    return totals
  }
  const noticesOf = ({ events }: Live) =>
    ofType(events, 'session_update').filter(({ notice }) =>
      notice?.text.startsWith('Continues from'),
    )
})

/** What the agent stored of a conversation. */
const storedFiles = (setup: AgentSetup, nativeId: string): string[] => {
  const root = join(setup.cwd, '..')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes(nativeId) && path.endsWith('.jsonl'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
}
