import { headers } from '@nats-io/transport-node'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openEventTail } from '../../src/cluster/event-tail.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import type { JetStreamLog } from '../../src/log/jetstream/jetstream-log.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { closedLog } from '../../src/log/log-fault.ts'
import { openNodeLog } from '../log/jetstream/open-node-log.ts'
import { events, session } from '../log/samples.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'

describeWithNats('the tail of a node', (nats) => {
  /** Opens the tail of a node whose readers have what was published. */
  const openTail = async (log: JetStreamLog, id: string, published: StampedEvent[]) => {
    const link = await openLink({ servers: nats.urls })
    const publish = (event: StampedEvent) => {
      if (event.seq > published.length) published.push(event)
    }
    const tail = await openEventTail({
      ...{ link, log, checkMs: 50, onError: (cause) => expect.unreachable(String(cause)) },
      readers: {
        follows: (found) => found === id,
        followed: () => [id],
        headOf: () => published.length,
        publish,
      },
    })
    onTestFinished(async () => {
      await tail.close()
      await link.close()
    })
    return { link, publish }
  }

  test('goes on when the stream ends before what has arrived', async () => {
    const [log, other] = [await openNodeLog(nats, 'one'), await openNodeLog(nats, 'two')]
    await log.sessions.create(session('r'))
    const published: StampedEvent[] = []
    const { link } = await openTail(log, 'r', published)
    // As if the servers had lost many messages since.
    const marks = headers()
    marks.set('Nats-Sequence', '1000000')
    marks.set('Sluice-First', '1')
    marks.set('Sluice-Count', '1')
    const { allLive } = log.names
    link.connection.publish(allLive.replace('>', 'other'), '', { headers: marks })
    await link.connection.flush()
    await expect.poll(() => other.sessions.get('r')).toBeDefined()
    const appended = events('r', 1, 3)
    await other.append('r', appended)
    await expect.poll(() => published).toEqual(appended)
  })

  test('sends readers events of this node that it has stored and not published', async () => {
    const log = await openNodeLog(nats, 'one')
    await log.sessions.create(session('s'))
    const published: StampedEvent[] = []
    const { publish } = await openTail(log, 's', published)
    const first = events('s', 1, 3)
    await log.append('s', first)
    for (const event of first) publish(event)
    const second = events('s', 4, 2)
    await log.append('s', second)
    await expect.poll(() => published).toEqual([...first, ...second])
  })

  test('asks the stream for its end once at a time, and reports nothing after its end', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const log = await openNodeLog(nats, 'two')
    const link = await openLink({ servers: nats.urls })
    onTestFinished(() => link.close())
    const answer = Promise.withResolvers<never>()
    const errors: unknown[] = []
    let calls = 0
    const insist: typeof link.insist = (call) => {
      calls += 1
      return calls > 1 ? answer.promise : link.insist(call)
    }
    const tail = await openEventTail({
      ...{ log, link: { ...link, insist }, checkMs: 50 },
      onError: (cause) => void errors.push(cause),
      readers: { follows: () => false, followed: () => [], headOf: () => 0, publish() {} },
    })
    vi.advanceTimersByTime(5000)
    await tail.close()
    answer.reject(closedLog())
    await link.connection.flush()
    expect(calls).toBe(2)
    expect(errors).toEqual([])
  })
})
