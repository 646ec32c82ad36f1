import { describe, expect, test } from 'vitest'
import { copilot } from '../../../src/agents/copilot/index.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import { copilotSetup } from '../../agents/copilot.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const isInstalled = process.env.COPILOT_BIN !== undefined
if (!isInstalled) console.log('skipped: Copilot: COPILOT_BIN does not name a Copilot')

/** The real Copilot, if it is installed, over ACP and with a scripted model. */
describe.skipIf(!isInstalled)('a session with Copilot', { timeout: 60_000 }, () => {
  test('it answers, asks before a tool, obeys the answer, and can be stopped', async () => {
    const model = await startModel()
    const setup = copilotSetup(model.url)
    if (!setup) return expect.unreachable('COPILOT_BIN went away')
    const session = openLiveSession({ agent: copilot, setup, model: 'gpt-4.1', policy: 'ask' })
    const answered = async (action: 'allow' | 'deny') => {
      const from = session.events.length
      const running = session.run('scenario:tool')
      const isRequest = ({ type }: StampedEvent) => type === 'approval_request'
      const request = await session.until(isRequest, from)
      if (request.type === 'approval_request') session.answer(request.approvalId, { action })
      return running
    }
    expect(textOf(await session.run('scenario:text'))).toBe('Hello from the model.')
    const { modes } = copilot.capabilities
    const reported = ofType(session.events, 'session_update').flatMap(({ modes: all }) => all ?? [])
    expect(reported.map(({ id }) => id)).toEqual(modes)

    const allowed = await answered('allow')
    expect(ofType(allowed, 'tool_execution_end')[0]).toMatchObject({ exitCode: 0, isError: false })
    expect(textOf(allowed)).toContain('It ran.')
    const denied = await answered('deny')
    expect(ofType(denied, 'tool_result')[0]?.message.isError).toBe(true)
    expect(textOf(denied)).not.toContain('It ran.')

    const from = session.events.length
    const stopped = session.run('scenario:slow')
    await session.until(({ type }) => type === 'message_update', from)
    await session.abort()
    expect(ofType(await stopped, 'agent_end')[0]).toMatchObject({ stopReason: 'aborted' })
    expect(textOf(await session.run('scenario:text'))).toBe('Hello from the model.')
    await session.close()
    setup.remove()
    await model.close()
  })
})
