import { expect, test } from 'vitest'
import { readEvents } from '../../../src/log/jetstream/event-reader.ts'
import type { EventTopic } from '../../../src/log/jetstream/event-topic.ts'
import { type PackedMessage, packTexts } from '../../../src/log/jetstream/packed-events.ts'
import { createPositions } from '../../../src/log/jetstream/positions.ts'

const count = 12

/** The messages of a session, one event each; other sessions have the numbers between. */
const messages = Array.from({ length: count }, (_, index): PackedMessage => {
  const first = index + 1
  return { id: `m${first}`, first, count: 1, streamSeq: 2 * first, body: packTexts([`e${first}`]) }
})

const unused = async () => {
  throw new Error('A read does not do this.')
}

/** A stream whose replica has not got some events yet, and whose leader lacks some for ever. */
const topicWithout = (replica: readonly number[], leader: readonly number[]): EventTopic => {
  const nextWithout = (left: readonly number[]) => async (streamSeq: number) =>
    messages.find((each) => each.streamSeq >= streamSeq && !left.includes(each.first))
  return {
    ...{ sessionId: 's', maxLength: 1000, publish: unused, purge: unused },
    objects: { put: unused, get: unused, remove: unused },
    last: async () => messages.at(-1),
    next: nextWithout(replica),
    nextOfLeader: nextWithout(leader),
    async *consume() {},
  }
}

const read = async (topic: EventTopic, after: number): Promise<string[]> => {
  const found: string[] = []
  for await (const { texts } of readEvents(topic, createPositions(), { after, limit: count }))
    found.push(...texts)
  return found
}

test('what a replica has not got yet is read from the leader, wherever a read begins', async () => {
  const all = messages.map(({ first }) => `e${first}`)
  for (const missing of all.keys())
    for (const after of all.keys())
      expect(await read(topicWithout([missing + 1], []), after)).toEqual(all.slice(after))
  expect(await read(topicWithout([2, 3, 4, 7, 8, 11, 12], []), 2)).toEqual(all.slice(2))
})

test('an event that the leader lacks is reported', async () => {
  await expect(read(topicWithout([5], [5]), 0)).rejects.toMatchObject({ code: 'damaged', seq: 5 })
  await expect(read(topicWithout([5], [5]), 4)).rejects.toMatchObject({ code: 'damaged', seq: 5 })
})
