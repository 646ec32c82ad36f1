import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pi } from '../../../src/agents/pi/index.ts'
import { applyEvents, emptyTranscript, toSnapshot } from '../../../src/transcript/index.ts'
import { modelView } from '../../../src/transcript/model-view.ts'
import { type PiOptions, piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

/** One answer of the model has about 1,800 tokens: too many for this window. */
const small = { contextWindow: 2200, compaction: { reserveTokens: 500, keepRecentTokens: 1 } }
const large = { compaction: { reserveTokens: 500, keepRecentTokens: 1 } }

/** Real Pi processes that compact their context, with a scripted model. */
describe.each(['0.73', '0.87'] as const)('compaction by pi %s', (version) => {
  let model: Awaited<ReturnType<typeof startModel>>
  let undo: (() => Promise<void>)[] = []

  beforeEach(async () => {
    model = await startModel()
  })
  afterEach(async () => {
    for (const each of undo) await each()
    undo = []
    await model.close()
  })

  const live = (options: PiOptions) => {
    const setup = piSetup(version, model.url, options)
    const session = openLiveSession({ agent: pi, setup, model: 'fake/fake-sonnet' })
    undo.push(async () => {
      await session.close()
      setup.remove()
    })
    return session
  }
  type Live = ReturnType<typeof live>

  const usageOf = ({ events }: Live) => ofType(events, 'usage_update').at(-1)

  /** Pi’s own report of its context, which Sluice requests after a compaction. */
  const contextReport = (session: Live, from: number) =>
    session.until(
      (event) => event.type === 'session_update' && event.contextWindow !== undefined,
      from,
    )

  test('happens by itself in a small context window, and the session continues', async () => {
    const session = live(small)
    await session.run('scenario:text please')
    const end = await session.until((event) => event.type === 'compaction_end')
    expect(ofType(session.events, 'compaction_start')).toMatchObject([{ reason: 'threshold' }])
    expect(end).toMatchObject({ summary: expect.any(String), tokensBefore: expect.any(Number) })
    expect(await contextReport(session, session.events.indexOf(end))).toMatchObject({
      contextWindow: 2200,
    })

    const from = session.events.length
    expect(textOf(await session.run('scenario:text again'))).not.toBe('')
    await session.until((event) => event.type === 'compaction_end', from)
    expect(ofType(session.events, 'agent_end')).toHaveLength(2)
    expect(session.events.filter(({ type }) => type === 'error' || type === 'raw')).toEqual([])
  })

  test('happens on request, and its cost and result are recorded if Pi reports them', async () => {
    const session = live(large)
    await session.run('scenario:text please')
    await session.run('scenario:text again')
    const before = usageOf(session)
    expect(before?.context).toMatchObject({ used: 1812, window: 200_000, source: 'last_call' })
    const from = session.events.length
    expect(await session.compact('Be brief.')).toEqual({ outcome: 'accepted' })
    await contextReport(session, from)
    await session.until((event) => event.type === 'session_update' && event.keptFrom !== undefined)
    const [end] = ofType(session.events, 'compaction_end')
    expect(end).toMatchObject({ reason: 'manual', summary: expect.any(String) })
    expect(JSON.stringify(model.requests)).toContain('Be brief.')

    const after = usageOf(session)
    if (version === '0.73') {
      // It reports neither.
      expect(after?.context).toBeNull()
      expect(after?.totals.costUsd).toBe(before?.totals.costUsd)
    } else {
      expect(after?.context).toMatchObject({ used: end?.tokensAfter, source: 'compaction' })
      const cost = (before?.totals.costUsd ?? 0) + (end?.usage?.cost?.total ?? 0)
      expect(after?.totals.costUsd).toBeCloseTo(cost, 10)
    }

    await session.run('scenario:text and on')
    expect(usageOf(session)?.context).toMatchObject({ source: 'last_call' })
    expect(JSON.stringify(model.requests.at(-1))).not.toContain('scenario:text please')
    // The transcript has everything, and marks what the model no longer sees.
    const { messages } = toSnapshot(applyEvents(emptyTranscript(), session.events), {
      projectId: 'p',
    })
    const spoken = messages.filter(({ role }) => role !== 'system')
    expect(spoken.map(({ role, outOfContext }) => `${outOfContext ? '-' : '+'} ${role}`)).toEqual([
      '- user',
      '- assistant',
      '- user',
      '+ assistant',
      '+ compactionSummary',
      '+ user',
      '+ assistant',
    ])
    expect(rolesInContext(model.requests.at(-1)?.body)).toEqual(
      modelView(spoken)
        .slice(0, -1)
        .map(({ role }) => (role === 'assistant' ? role : 'user')),
    )
  })

  test('is refused when there is nothing to summarize', async () => {
    const session = live(large)
    await session.run('scenario:text please')
    await session.compact()
    const outcome = await session.compact()
    expect(outcome).toMatchObject({ outcome: 'refused', error: expect.any(String) })
    expect(ofType(session.events, 'compaction_end').at(-1)).toMatchObject({
      errorMessage: expect.any(String),
    })
    expect(textOf(await session.run('scenario:text again'))).not.toBe('')
  })
})

/** The roles of the messages that the model received. */
const rolesInContext = (body = '{}'): unknown[] => {
  const { messages }: { messages: { role: string }[] } = JSON.parse(body)
  return messages.map(({ role }) => role)
}
