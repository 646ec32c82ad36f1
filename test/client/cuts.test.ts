import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StreamEvent } from '../../src/client/index.ts'
import { createClient } from '../../src/client/index.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import { applyAll, emptyTranscript, fromSnapshot, toSnapshot } from '../../src/transcript/index.ts'
import { recording } from '../support/recordings.ts'
import { stampedEvents } from '../transcript/events.ts'
import { frame, heartbeat, resumed } from './support/frames.ts'
import { openServer, type Visit } from './support/server.ts'
import { until } from './support/until.ts'

const events = stampedEvents(recording('pi/1.5.0/rpc-tools'))
const last = events.length

const snapshotOf = (seq: number) =>
  toSnapshot(applyAll(emptyTranscript('s'), events.slice(0, seq)), { projectId: 'p' })

/** How one connection goes: where its snapshot is, if it needs one, and how far it comes. */
const connections = fc.array(
  fc.record({
    at: fc.nat({ max: last }),
    count: fc.nat({ max: 60 }),
    /** Bytes of the next frame that still come through. */
    torn: fc.nat({ max: 200 }),
    /** How many events the server sends once more. */
    again: fc.nat({ max: 3 }),
    ending: fc.constantFrom<'cut' | 'end' | 'slow_consumer' | 'stay'>(
      'cut',
      'end',
      'slow_consumer',
    ),
    hasLost: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)
type Plan = typeof connections extends fc.Arbitrary<(infer Each)[]> ? Each : never

/** Answers as a server would, but not for long. */
const play = (visit: Visit, plan: Plan): void => {
  const said = visit.headers['last-event-id']
  const cursor = said === undefined ? undefined : Number(said)
  const isGap = cursor !== undefined && plan.hasLost
  const needsSnapshot = cursor === undefined || isGap
  const from = needsSnapshot ? plan.at : Math.max(0, cursor - plan.again)
  if (cursor !== undefined) visit.send(frame(resumed(cursor, isGap ? 'gap' : 'ok')))
  if (needsSnapshot) visit.send(frame(snapshotOf(plan.at)))
  const to = from + plan.count
  for (const event of events.slice(from, to)) visit.send(frame(event))
  visit.send(heartbeat)
  const next = events[to]
  if (plan.ending === 'slow_consumer') visit.send(frame({ type: 'slow_consumer', after: to }))
  else if (next) visit.send(frame(next).slice(0, plan.torn).replace(/\n\n$/, ''))
  if (plan.ending === 'cut') visit.cut()
  else if (plan.ending !== 'stay') visit.end()
}

const whole: Plan = { at: last, count: last, torn: 0, again: 0, ending: 'stay', hasLost: false }

test('however often it is cut: nothing lost, nothing double, nothing out of order', async () => {
  await using server = await openServer()
  await fc.assert(
    fc.asyncProperty(connections, async (plans) => {
      const seen: StreamEvent[] = []
      const client = createClient({ url: server.url, setTimer: soon, random: () => 0 })
      const store = client.follow('s', { onEvents: (news) => seen.push(...news) })
      for (const plan of plans) play(await server.visit(), plan)
      const visit = await server.visit()
      play(visit, whole)
      await until(() => store.get().seq === last)
      store.close()
      await visit.closed
      expect(store.get()).toEqual(applyAll(emptyTranscript('s'), events))
      expectWhole(seen)
    }),
    { numRuns: 25 },
  )
})

/** Each event follows the one before it, or a snapshot. */
const expectWhole = (seen: readonly StreamEvent[]): void => {
  let seq = 0
  for (const event of seen) {
    if (event.type === 'snapshot') seq = fromSnapshot(event).seq
    else if (isStamped(event)) expect(event.seq).toBe(++seq)
  }
}

const isStamped = (event: StreamEvent): event is StampedEvent => 'timestamp' in event

/** Waits between connections pass at once; a connection is never taken for dead. */
const soon = (run: () => void, ms: number): (() => void) => {
  if (ms >= 30_000) return () => {}
  const timer = setImmediate(run)
  return () => clearImmediate(timer)
}
