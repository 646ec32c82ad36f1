import { Objm } from '@nats-io/obj'
import { expect, onTestFinished, test } from 'vitest'
import { createAppendTimes } from '../../../src/log/jetstream/append-times.ts'
import { createEventLane } from '../../../src/log/jetstream/event-lane.ts'
import { createEventTopic, type EventTopic } from '../../../src/log/jetstream/event-topic.ts'
import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { createObjectBodies } from '../../../src/log/jetstream/object-bodies.ts'
import { createPublisher } from '../../../src/log/jetstream/publisher.ts'
import { namesOf } from '../../../src/log/jetstream/subjects.ts'
import { LogFault } from '../../../src/log/log-fault.ts'
import { describeWithNats } from '../../support/describe-with-nats.ts'

describeWithNats('appending to one session', (nats) => {
  const openTopic = async (tenant: string) => {
    const link = await openLink({ servers: nats.urls })
    onTestFinished(() => link.close())
    const names = namesOf(tenant)
    const subjects = [names.eventsOf('s')]
    await link.manager.streams.add({ name: names.eventStream, subjects, allow_direct: true })
    const store = await new Objm(link.client).create(tenant)
    const objects = createObjectBodies(link, store, tenant)
    const publisher = createPublisher(link.connection, { timeoutMs: 1000 })
    const appendTimes = createAppendTimes()
    return createEventTopic('s', { link, names, objects, publisher, appendTimes })
  }
  const laneOf = (topic: EventTopic, writerId: string) =>
    createEventLane(topic, { writerId, noteObject: async () => {}, mayWrite: () => undefined })
  const batch = (first: number, text: string) => ({ first, texts: [text], length: text.length })

  test('a large message whose answer was lost is kept, also when another node has appended since', async () => {
    const topic = await openTopic('large')
    const large = JSON.stringify('x'.repeat(2_000_000))
    let tries = 0
    const publish: EventTopic['publish'] = async (body, headers) => {
      tries += 1
      // Servers forget the ids of messages after some time.
      if (tries > 1) headers.set('Nats-Msg-Id', 'forgotten')
      const stored = await topic.publish(body, headers)
      if (tries > 1) return stored
      await laneOf(topic, 'other').append(batch(2, '"later"'))
      throw new LogFault('unreachable', 'NATS did not answer.')
    }
    await laneOf({ ...topic, publish }, 'own').append(batch(1, large))
    const first = await topic.nextOfLeader(1)
    expect(first?.first).toBe(1)
    const body = await topic.objects.get(first?.id ?? '')
    expect(body && Buffer.from(body).toString()).toContain(large)
    expect(await topic.last()).toMatchObject({ first: 2, count: 1 })
  })

  test('a batch behind one that is refused is stored when it is ready, and not before', async () => {
    const topic = await openTopic('refused')
    let isReady = false
    const wasReady: boolean[] = []
    const publish: EventTopic['publish'] = (...message) => {
      wasReady.push(isReady)
      return topic.publish(...message)
    }
    const lane = laneOf({ ...topic, publish }, 'own')
    const blobs = Promise.withResolvers<void>()
    const refused = lane.append(batch(2, '"too early"'))
    const stored = lane.append(batch(1, '"a"'), blobs.promise)
    await expect(refused).rejects.toMatchObject({ code: 'gap' })
    isReady = true
    blobs.resolve()
    await stored
    expect(wasReady).toEqual([true])
  })
})
