import { expect, test, vi } from 'vitest'
import type { AgentEvent, StampedEvent } from '../../../src/events/types.ts'
import { createRecorder } from '../../../src/session/recording/recorder.ts'

const start: AgentEvent = { type: 'agent_start' }
const end: AgentEvent = { type: 'agent_end', stopReason: 'stop' }
const turn: AgentEvent = { type: 'turn_start' }

/** A recorder over a log whose writes finish when the test says so. */
const withLog = (after = 0) => {
  const calls: string[] = []
  const waiting: { events: readonly StampedEvent[]; done(): void; fail(cause: Error): void }[] = []
  const failures: unknown[] = []
  const { promise: appended, resolve } = Promise.withResolvers<void>()
  const recorder = createRecorder({
    sessionId: 's',
    after,
    now: () => 7,
    append(events) {
      const { promise, resolve: done, reject: fail } = Promise.withResolvers<void>()
      calls.push(`append ${events.map(({ seq }) => seq).join(',')}`)
      waiting.push({ events, done, fail })
      resolve()
      return promise
    },
    publish: (event) => calls.push(`publish ${event.seq} ${event.type}`),
    onFailure: (cause) => failures.push(cause),
  })
  return { recorder, calls, waiting, failures, appended }
}

test('publishes only stored events, and stores one chunk as one batch', async () => {
  const { recorder, calls, waiting, appended } = withLog()
  recorder.push([start, turn])
  await appended
  expect(calls).toEqual(['append 1,2'])
  waiting[0]?.done()
  await recorder.settled()
  expect(calls).toEqual(['append 1,2', 'publish 1 agent_start', 'publish 2 turn_start'])
})

test('gathers the next batch while the log writes', async () => {
  const { recorder, calls, waiting, appended } = withLog(10)
  recorder.push([start])
  await appended
  recorder.push([turn])
  recorder.push([end])
  waiting[0]?.done()
  const settled = recorder.settled()
  await new Promise((resolve) => setImmediate(resolve))
  waiting[1]?.done()
  await settled
  expect(calls.filter((line) => line.startsWith('append'))).toEqual(['append 11', 'append 12,13'])
})

test('publishes nothing after the log has failed, and reports the failure', async () => {
  const { recorder, calls, waiting, failures, appended } = withLog()
  recorder.push([start])
  await appended
  waiting[0]?.fail(new Error('disk full'))
  await recorder.settled()
  recorder.push([end])
  await recorder.close()
  expect(calls).toEqual(['append 1'])
  expect(failures).toEqual([new Error('disk full')])
})

test('stores an event that is pushed while the last batch is published', async () => {
  const calls: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const recorder = createRecorder({
    sessionId: 's',
    after: 0,
    now: () => 7,
    append: async () => {},
    publish(event) {
      calls.push(event.type)
      if (calls.length === 12) return resolve()
      // One microtask later each time: one of them comes just after the last batch.
      let left = calls.length
      const later = () => {
        left -= 1
        if (left === 0) recorder.push([turn])
        else queueMicrotask(later)
      }
      queueMicrotask(later)
    },
    onFailure: (cause) => expect.unreachable(String(cause)),
  })
  recorder.push([start])
  await promise
  await recorder.close()
  expect(calls).toHaveLength(12)
})

test('reports how much waits: at half of the limit, at the limit, and below a quarter', async () => {
  const writes: (() => void)[] = []
  const published: number[] = []
  const recorder = createRecorder({
    sessionId: 's',
    after: 0,
    now: () => 7,
    append: () => new Promise((resolve) => writes.push(resolve)),
    publish: ({ seq }) => published.push(seq),
    onFailure: (cause) => expect.unreachable(String(cause)),
    limits: { events: 100, bytes: 1e9 },
  })
  const seen: string[] = []
  const stop = recorder.watchPressure((pressure) => seen.push(pressure))
  const push = (count: number) => recorder.push(Array.from({ length: count }, () => start))
  const writeOne = async () => {
    await vi.waitFor(() => expect(writes).not.toEqual([]))
    writes.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  push(49)
  expect(seen).toEqual([])
  push(1)
  expect(seen).toEqual(['half'])
  await vi.waitFor(() => expect(writes).toHaveLength(1))
  push(70)
  expect(seen).toEqual(['half', 'full'])
  await writeOne() // 70 are left
  expect(seen).toEqual(['half', 'full', 'half'])
  await writeOne()
  expect(seen).toEqual(['half', 'full', 'half', 'low'])
  expect(recorder.pressure()).toBe('low')
  stop()
  push(60)
  expect(seen).toHaveLength(4)
  await writeOne()
  expect(published).toHaveLength(180)
})

test('counts large texts, however few they are', () => {
  const { recorder } = withLog()
  const delta = 'x'.repeat(10 * 1024 * 1024)
  for (let count = 0; count < 4; count += 1)
    recorder.push([
      {
        type: 'message_update',
        messageId: `m${count}`,
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta },
      },
    ])
  void recorder.settled() // emits the deltas that wait to be joined
  expect(recorder.pressure()).toBe('half')
})
