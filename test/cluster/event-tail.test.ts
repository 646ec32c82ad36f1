import { headers } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openEventTail } from '../../src/cluster/event-tail.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import type { JetStreamLog } from '../../src/log/jetstream/jetstream-log.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { openNodeLog } from '../log/jetstream/open-node-log.ts'
import { events, session } from '../log/samples.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: the tail of a node: ${missing}`)

describe.skipIf(missing !== undefined)('the tail of a node', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

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
})
