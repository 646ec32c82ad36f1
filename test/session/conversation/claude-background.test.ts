import { afterEach, describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { claudeSetup, installedClaudes } from '../../agents/claude.ts'
import { type Script, scripts } from '../../model/scripts.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const installed = installedClaudes()
if (installed.length === 0) console.log('skipped: CLAUDE_BINS names no Claude Code')

/** A command that never ends by itself. */
const server: Script = {
  steps: [
    {
      kind: 'reply',
      blocks: [
        {
          type: 'tool_use',
          name: 'bash',
          input: { command: 'sleep 600', description: 'Dev server', run_in_background: true },
        },
      ],
    },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['Started', ' it.'] }] },
  ],
}

describe.skipIf(installed.length === 0)('a command in the background', () => {
  const cleanups: (() => unknown)[] = []
  afterEach(async () => {
    for (const clean of cleanups.splice(0)) await clean()
  })

  const open = async (bin: string) => {
    const model = await startModel({ ...scripts, server })
    const { setup } = claudeSetup(model.url, bin)
    if (!setup) throw new Error('Claude Code went away')
    const options = { agent: claude, setup, model: 'claude-sonnet-4-5', policy: 'allow' } as const
    const session = openLiveSession(options)
    cleanups.push(session.close, setup.remove, model.close)
    return { session, model }
  }

  const tasksIn = (events: readonly AgentEvent[]) =>
    Object.assign({}, ...ofType(events, 'session_update').flatMap(({ task }) => task ?? []))

  test.each(installed)(
    'of Claude Code $version does not keep the run open',
    async ({ bin }) => {
      const { session } = await open(bin)
      const events = await session.run('scenario:server please')
      expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
      expect(tasksIn(events)).toMatchObject({ state: 'running', isBackground: true })
      expect(session.canUnload()).toBe(false)
      expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
    },
    60_000,
  )

  test.each(installed)(
    'of Claude Code $version does not delay an abort, and no follow-up runs after it',
    async ({ bin }) => {
      const { session } = await open(bin)
      await session.run('scenario:server please')
      const from = session.events.length
      await session.prompt('scenario:hang please')
      await session.until((event) => event.type === 'message_update', from)
      await session.followUp('scenario:text later')
      await session.abort()
      const events = session.events.slice(from)
      // The agent obeyed: it got no signal, which it gets after five seconds.
      const states = ofType(events, 'session_update').flatMap(({ status }) => status ?? [])
      expect(states.filter((status) => status.includes('SIG'))).toEqual([])
      expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
      expect(session.isBusy()).toBe(false)
      expect(ofType(events, 'queue_update').at(-1)?.queued.followUp).toHaveLength(1)
      // A prompt of a person starts the next run, not the queue.
      const next = await session.run('scenario:thinking please')
      expect(ofType(next, 'message_end')[0]?.message).toMatchObject({
        content: [{ text: 'scenario:thinking please' }],
      })
    },
    60_000,
  )
})
