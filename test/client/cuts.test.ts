import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StreamEvent } from '../../src/client/index.ts'
import { createClient } from '../../src/client/index.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import {
  applyEvents,
  emptyTranscript,
  fromSnapshot,
  toSnapshot,
} from '../../src/transcript/index.ts'
import { recording } from '../support/recordings.ts'
import { stampedEvents } from '../transcript/events.ts'
import { frame, heartbeat, resumeAt } from './support/frames.ts'
import { openScriptedServer, type ReceivedRequest } from './support/scripted-server.ts'
import { until } from './support/until.ts'

const events = stampedEvents(recording('pi/1.5.0/rpc-tools'))
const last = events.length

const snapshotOf = (seq: number) =>
  toSnapshot(applyEvents(emptyTranscript('s'), events.slice(0, seq)), { projectId: 'p' })

/** What one connection does: the seq of its snapshot, if it needs one, and how many events follow. */
const connections = fc.array(
  fc.record({
    at: fc.nat({ max: last }),
    count: fc.nat({ max: 60 }),
    /** How many bytes of the next frame arrive before the end. */
    torn: fc.nat({ max: 200 }),
    /** How many events the server sends again. */
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

/** Responds as a server would, until the plan ends. */
const play = (request: ReceivedRequest, plan: Plan): void => {
  const lastEventId = request.headers['last-event-id']
  const cursor = lastEventId === undefined ? undefined : Number(lastEventId)
  const isGap = cursor !== undefined && plan.hasLost
  const needsSnapshot = cursor === undefined || isGap
  const from = needsSnapshot ? plan.at : Math.max(0, cursor - plan.again)
  if (cursor !== undefined) request.send(frame(resumeAt(cursor, isGap ? 'gap' : 'ok')))
  if (needsSnapshot) request.send(frame(snapshotOf(plan.at)))
  const to = from + plan.count
  for (const event of events.slice(from, to)) request.send(frame(event))
  request.send(heartbeat)
  const next = events[to]
  if (plan.ending === 'slow_consumer') request.send(frame({ type: 'slow_consumer', after: to }))
  else if (next) request.send(frame(next).slice(0, plan.torn).replace(/\n\n$/, ''))
  if (plan.ending === 'cut') request.cut()
  else if (plan.ending !== 'stay') request.end()
}

const whole: Plan = { at: last, count: last, torn: 0, again: 0, ending: 'stay', hasLost: false }

test('a stream that is cut at any point loses no event, repeats none and keeps their order', async () => {
  await using server = await openScriptedServer()
  await fc.assert(
    fc.asyncProperty(connections, async (plans) => {
      const seen: StreamEvent[] = []
      const client = createClient({ url: server.url, setTimer: soon, random: () => 0 })
      const store = client.follow('s', { onEvents: (batch) => seen.push(...batch) })
      for (const plan of plans) play(await server.nextRequest(), plan)
      const request = await server.nextRequest()
      play(request, whole)
      await until(() => store.get().seq === last)
      store.close()
      await request.closed
      expect(store.get()).toEqual(applyEvents(emptyTranscript('s'), events))
      expectWhole(seen)
    }),
    { numRuns: 25 },
  )
})

/** Expects each event to follow the one before it, or a snapshot. */
const expectWhole = (seen: readonly StreamEvent[]): void => {
  let seq = 0
  for (const event of seen) {
    if (event.type === 'snapshot') seq = fromSnapshot(event).seq
    else if (isStamped(event)) expect(event.seq).toBe(++seq)
  }
}

const isStamped = (event: StreamEvent): event is StampedEvent => 'timestamp' in event

/** Skips the delay between connections; the limit for silence never passes. */
const soon = (run: () => void, ms: number): (() => void) => {
  if (ms >= 30_000) return () => {}
  const timer = setImmediate(run)
  return () => clearImmediate(timer)
}
