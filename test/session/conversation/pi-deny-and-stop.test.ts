import { expect, test } from 'vitest'
import { pi } from '../../../src/agents/pi/index.ts'
import { type PiVersion, piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

test.each<PiVersion>(['0.73', '0.87'])(
  'Pi %s: a denial can stop the run without another call of the model, and the session goes on',
  async (version) => {
    const model = await startModel()
    const setup = piSetup(version, model.url)
    const deps = { requestApprovals: true }
    const session = openLiveSession({ agent: pi, setup, model: 'fake-sonnet', deps })
    await session.prompt('scenario:tool please')
    await session.until(({ type }) => type === 'approval_request')
    const [request] = ofType(session.events, 'approval_request')
    expect(request?.options?.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once', 'stop'])
    const { length } = model.requests
    const decision = { action: 'deny', optionId: 'deny-and-stop' } as const
    expect(session.answer(request?.approvalId ?? '', decision)).toBe(true)
    const end = await session.until(({ type }) => type === 'agent_end')
    expect(end).toMatchObject({ stopReason: 'aborted' })
    expect(ofType(session.events, 'tool_execution_end')).toMatchObject([{ isError: true }])
    expect(model.requests).toHaveLength(length)
    const next = await session.run('scenario:text please')
    expect(textOf(next)).toBe('Hello from the model.')
    await session.close()
    setup.remove()
    await model.close()
  },
)
