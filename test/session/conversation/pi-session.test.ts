import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pi } from '../../../src/agents/pi/index.ts'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { gate, openLive } from '../../support/live.ts'

/** Real Pi processes in RPC mode, before a scripted model. */
describe.each(['0.73', '0.87'] as const)('a session with pi %s', (version) => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  const open: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup(version, model.url)
  })
  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    setup.remove()
    await model.close()
  })

  const live = (world: Parameters<typeof openLive>[0]['world'] = {}, more: object = {}) => {
    const session = openLive({ agent: pi, setup, model: 'fake/fake-sonnet', world, ...more })
    open.push(session)
    return session
  }

  test('answers prompts, one run each', async () => {
    const session = live()
    const first = await session.run('scenario:text please')
    expect(textOf(first)).not.toBe('')
    const second = await session.run('scenario:tool please')
    expect(ofType(second, 'tool_call')).toHaveLength(1)
    expect(second.at(-1)).toMatchObject({ type: 'turn_state', newState: 'turn_finished' })
    expect(ofType(session.events, 'session_start')).toHaveLength(1)
  })

  test('is busy while it works: a second prompt is refused, a steer is delivered', async () => {
    const session = live()
    await session.prompt('scenario:parallel please')
    await session.until((event) => event.type === 'tool_execution_start')
    expect(await session.prompt('scenario:text please')).toMatchObject({ outcome: 'busy' })
    expect(await session.steer('scenario:text instead')).toEqual({ outcome: 'accepted' })
    await session.until((event) => event.type === 'agent_end')
    const queued = ofType(session.events, 'queue_update').map((event) => event.queued.steering)
    expect(queued).toEqual([['scenario:text instead'], []])
  })

  test('a follow-up runs when the first is done', async () => {
    const session = live()
    await session.prompt('scenario:tool please')
    await session.until((event) => event.type === 'agent_start')
    await session.followUp('scenario:text please')
    await session.until((event) => event.type === 'agent_end')
    const said = ofType(session.events, 'message_end').filter(
      ({ message }) => message.role === 'user',
    )
    expect(said).toHaveLength(2)
  })

  test('abort ends the text, and the session goes on', async () => {
    const session = live()
    await session.prompt('scenario:slow please')
    await session.until((event) => event.type === 'message_update')
    await session.abort()
    expect(ofType(session.events, 'agent_end')[0]).toMatchObject({ stopReason: 'aborted' })
    expect(textOf(await session.run('scenario:text please'))).not.toBe('')
  })

  test('abort ends a tool', async () => {
    const session = live()
    await session.prompt('scenario:slow-tool please')
    await session.until((event) => event.type === 'tool_execution_update')
    await session.abort()
    expect(ofType(session.events, 'tool_execution_end')[0]).toMatchObject({ isError: true })
    expect(ofType(session.events, 'agent_end')[0]).toMatchObject({ stopReason: 'aborted' })
  })

  test('abort ends the wait for a retry', async () => {
    const session = live()
    await session.prompt('scenario:exhaust please')
    await session.until((event) => event.type === 'auto_retry_start' && event.attempt === 3)
    await session.abort()
    expect(ofType(session.events, 'auto_retry_end')[0]).toMatchObject({ success: false })
    expect(session.isBusy()).toBe(false)
  })

  test('takes another thinking level and a name, and compacts when asked', async () => {
    const session = live()
    await session.run('scenario:text please')
    expect(await session.setThinking('low')).toEqual({ outcome: 'accepted' })
    expect(await session.setName('A name')).toEqual({ outcome: 'accepted' })
    await session.until((event) => event.type === 'session_update' && event.thinkingLevel === 'low')
    await session.until((event) => event.type === 'session_update' && event.name === 'A name')
    await session.compact()
    await session.until((event) => event.type === 'compaction_end')
    // 0.87 finds one short answer too little to sum up, and says so; 0.73 sums it up.
    const [{ summary, errorMessage } = {}] = ofType(session.events, 'compaction_end')
    expect(summary ?? errorMessage).toEqual(expect.any(String))
  })

  test('tells its models, and takes another by its whole name or by its id', async () => {
    const session = live()
    expect(await session.models()).toBeUndefined() // nothing is started for it
    await session.run('scenario:text please')
    expect(await session.models()).toEqual(['fake/fake-sonnet', 'fake/fake-opus'])
    for (const [asked, model] of [
      ['fake-opus', 'fake-opus'],
      ['fake/fake-sonnet', 'fake-sonnet'],
    ] as const) {
      const from = session.events.length
      expect(await session.setModel(asked)).toEqual({ outcome: 'accepted' })
      await session.until((event) => event.type === 'session_update' && event.model === model, from)
    }
    expect(await session.setModel('fake-haiku')).toEqual({
      outcome: 'refused',
      error: 'Pi has no model “fake-haiku”.',
    })
    expect(ofType(session.events, 'error')).toEqual([])
  })

  describe('asks before a tool runs', () => {
    const asking = async (scenario: string, world: object = {}) => {
      const session = live({ gate, ...world })
      await session.prompt(`scenario:${scenario} please`)
      const asked = await session.until((event) => event.type === 'approval_request')
      if (asked.type !== 'approval_request') throw new Error('no request')
      return { session, asked }
    }

    test('allowed, it runs; the request names the call', async () => {
      const { session, asked } = await asking('tool')
      expect(asked).toMatchObject({ toolName: 'bash', toolCallId: expect.any(String) })
      expect(session.answer(asked.approvalId, { action: 'allow', by: 'me' })).toBe(true)
      expect(session.answer(asked.approvalId, { action: 'deny' })).toBe(false)
      await session.until((event) => event.type === 'agent_end')
      expect(ofType(session.events, 'tool_execution_end')[0]).toMatchObject({ isError: false })
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([
        { outcome: 'answered', by: 'me' },
      ])
    })

    test('denied, the model is told why', async () => {
      const { session, asked } = await asking('tool')
      session.answer(asked.approvalId, { action: 'deny', message: 'Not today.' })
      await session.until((event) => event.type === 'agent_end')
      const [result] = ofType(session.events, 'tool_result')
      expect(result?.message).toMatchObject({ isError: true, content: [{ text: 'Not today.' }] })
    })

    test('with another input, it runs that', async () => {
      const { session, asked } = await asking('tool')
      const updatedInput = { command: 'echo rewritten > rewritten.txt' }
      session.answer(asked.approvalId, { action: 'allow', updatedInput })
      await session.until((event) => event.type === 'agent_end')
      expect(existsSync(join(setup.cwd, 'rewritten.txt'))).toBe(true)
    })

    test('allowed for the session by tool, it is not asked about again', async () => {
      const { session, asked } = await asking('parallel')
      session.answer(asked.approvalId, { action: 'allow', remember: 'tool' })
      const other = await session.until(
        (event) => event.type === 'approval_request' && event.toolName === 'read',
      )
      if (other.type === 'approval_request') session.answer(other.approvalId, { action: 'allow' })
      await session.until((event) => event.type === 'agent_end')
      const outcomes = ofType(session.events, 'approval_resolved').map(({ outcome }) => outcome)
      expect(outcomes.toSorted()).toEqual(['answered', 'answered', 'policy'])
    })

    test('without an answer in time, it is denied', async () => {
      const { session } = await asking('tool', { approvalMs: 50 })
      await session.until((event) => event.type === 'agent_end')
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ outcome: 'expired' }])
      expect(ofType(session.events, 'tool_execution_end')[0]).toMatchObject({ isError: true })
    })

    test('abort with the question open ends both, and the model is not called again', async () => {
      const { session } = await asking('tool')
      const { length } = model.requests
      await session.abort()
      expect(ofType(session.events, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled' }])
      expect(ofType(session.events, 'tool_execution_end')).toMatchObject([{ isError: true }])
      expect(session.isBusy()).toBe(false)
      expect(model.requests).toHaveLength(length)
    })
  })

  test('when Pi dies in mid-text the run is closed, and the next prompt goes on with its history', async () => {
    const session = live()
    await session.run('scenario:text please')
    await session.prompt('scenario:slow please')
    await session.until((event) => event.type === 'message_update', session.events.length)
    const [pid] = session.changes.flatMap((change) => ('pid' in change ? [change.pid] : []))
    process.kill(Number(pid), 'SIGKILL')
    const from = session.events.length
    await session.until((event) => event.type === 'agent_end', from)
    expect(ofType(session.events, 'error')[0]).toMatchObject({ code: 'agent_exit' })
    expect(ofType(session.events, 'agent_end').at(-1)).toMatchObject({ interrupted: true })
    await session.run('scenario:text again')
    expect(JSON.stringify(model.requests.at(-1))).toContain('scenario:slow please')
  })
})
