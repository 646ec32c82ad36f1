import { afterEach, describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
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

  test.each(installed)(
    'of Claude Code $version does not keep the run open',
    async ({ bin }) => {
      const model = await startModel({ ...scripts, server })
      const { setup } = claudeSetup(model.url, bin)
      if (!setup) throw new Error('Claude Code went away')
      const options = { agent: claude, setup, model: 'claude-sonnet-4-5', policy: 'allow' } as const
      const session = openLiveSession(options)
      cleanups.push(session.close, setup.remove, model.close)

      const events = await session.run('scenario:server please')
      expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
      const tasks = ofType(events, 'session_update').flatMap(({ task }) => task ?? [])
      expect(Object.assign({}, ...tasks)).toMatchObject({ state: 'running', isBackground: true })
      expect(session.canUnload()).toBe(false)
      expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
    },
    60_000,
  )
})
