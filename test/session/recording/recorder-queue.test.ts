import { expect, test } from 'vitest'
import type { AgentEvent, StampedEvent } from '../../../src/events/types.ts'
import { createRecorder } from '../../../src/session/recording/recorder.ts'

const turn: AgentEvent = { type: 'turn_start' }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A recorder over a log with a queue, whose writes finish when the test says so. */
const withQueue = () => {
  const published: number[] = []
  const failures: unknown[] = []
  const writes: (PromiseWithResolvers<void> & { seqs: number[] })[] = []
  const listeners = new Set<(isFull: boolean) => void>()
  const flushed = Promise.withResolvers<void>()
  let isFull = false
  const recorder = createRecorder({
    ...{ sessionId: 's', after: 0, now: () => 7 },
    append(events: readonly StampedEvent[]) {
      const write = { ...Promise.withResolvers<void>(), seqs: events.map(({ seq }) => seq) }
      writes.push(write)
      return write.promise
    },
    publish: ({ seq }) => published.push(seq),
    onFailure: (cause) => failures.push(cause),
    queue: {
      isFull: () => isFull,
      onFull(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      flushed: () => flushed.promise,
    },
  })
  return {
    ...{ recorder, published, failures, writes, flushed },
    setFull(value: boolean) {
      isFull = value
      for (const listener of listeners) listener(value)
    },
  }
}

/** Pushes three events, each in a batch of its own. */
const pushThree = async ({ recorder }: ReturnType<typeof withQueue>): Promise<void> => {
  for (let count = 0; count < 3; count += 1) {
    recorder.push([turn])
    await nextTurn()
  }
}

test('batches are appended before earlier ones are stored, and published in order', async () => {
  const rig = withQueue()
  await pushThree(rig)
  const { writes, published, recorder } = rig
  expect(writes.map(({ seqs }) => seqs)).toEqual([[1], [2], [3]])
  writes[2]?.resolve()
  writes[1]?.resolve()
  await nextTurn()
  expect(published).toEqual([])
  writes[0]?.resolve()
  await recorder.settled()
  expect(published).toEqual([1, 2, 3])
})

test('nothing behind a batch that failed is published', async () => {
  const rig = withQueue()
  await pushThree(rig)
  const { writes, published, failures, recorder } = rig
  writes[0]?.resolve()
  writes[1]?.reject(new Error('fenced'))
  writes[2]?.resolve()
  await recorder.settled()
  await nextTurn()
  expect(published).toEqual([1])
  expect(failures).toHaveLength(1)
})

test('a full queue is full pressure', () => {
  const { recorder, setFull } = withQueue()
  const seen: string[] = []
  const unwatch = recorder.watchPressure((pressure) => seen.push(pressure))
  setFull(true)
  expect(recorder.pressure()).toBe('full')
  setFull(false)
  unwatch()
  setFull(true)
  expect(seen).toEqual(['full', 'low'])
})

test('the last close is content with a journal; another one waits until all is stored', async () => {
  const rig = withQueue()
  await pushThree(rig)
  let isClosed = false
  const closed = rig.recorder.close().then(() => {
    isClosed = true
  })
  rig.flushed.resolve()
  await nextTurn()
  expect(isClosed).toBe(false)
  await rig.recorder.close(true)
  await closed
  expect(rig.published).toEqual([])
})
