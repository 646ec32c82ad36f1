import { expect, onTestFinished, test } from 'vitest'
import { openEventTail } from '../../src/cluster/event-tail.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { openNodeLog } from '../log/jetstream/open-node-log.ts'
import { events, session } from '../log/samples.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'

describeWithNats('the tail of a node', (nats) => {
  test('sends readers events of this node that it has stored and not published', async () => {
    const log = await openNodeLog(nats, 'one')
    const link = await openLink({ servers: nats.urls })
    await log.sessions.create(session('s'))
    const published: StampedEvent[] = []
    const publish = (event: StampedEvent) => {
      if (event.seq > published.length) published.push(event)
    }
    const tail = await openEventTail({
      ...{ link, log, checkMs: 50, onError: (cause) => expect.unreachable(String(cause)) },
      readers: {
        follows: () => true,
        followed: () => ['s'],
        headOf: () => published.length,
        publish,
      },
    })
    onTestFinished(async () => {
      await tail.close()
      await link.close()
    })
    const first = events('s', 1, 3)
    await log.append('s', first)
    for (const event of first) publish(event)
    const second = events('s', 4, 2)
    await log.append('s', second)
    await expect.poll(() => published).toEqual([...first, ...second])
  })
})
