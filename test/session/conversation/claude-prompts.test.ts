import { expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { claudeSetup, installedClaudes } from '../../agents/claude.ts'
import { startModel } from '../../model/server.ts'
import { ofType } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const claudes = installedClaudes()
if (claudes.length === 0) console.log('skipped: Claude Code: none is installed')

test.skipIf(claudes.length > 0)('no Claude Code is installed', () => {})

test.each(claudes)(
  'Claude Code $version: a prompt is shown at once, and above its answer',
  async ({ bin }) => {
    const model = await startModel()
    const { setup } = claudeSetup(model.url, bin)
    if (!setup) throw new Error('Claude Code went away')
    const session = openLiveSession({ agent: claude, setup, model: 'claude-sonnet-4-5' })
    for (const prompt of ['scenario:text please', 'scenario:tool please', '/cost']) {
      const events = await session.run(prompt)
      const messages = ofType(events, 'message_end').map(({ message }) => message)
      expect(messages[0]).toMatchObject({
        role: 'user',
        content: [{ text: prompt }],
        delivery: 'sent',
      })
      expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
      expect(ofType(events, 'message_delivery').map(({ state }) => state)).toEqual(['taken'])
      expect(ofType(events, 'agent_start')).toHaveLength(1)
    }
    await session.close()
    setup.remove()
    await model.close()
  },
)
