import { expect, test } from 'vitest'
import type { AgentEvent, StampedEvent } from '../../../src/events/types.ts'
import { createRecorder } from '../../../src/session/recording/recorder.ts'

const start: AgentEvent = { type: 'agent_start' }
const end: AgentEvent = { type: 'agent_end', stopReason: 'stop' }
const turn: AgentEvent = { type: 'turn_start' }

/** A recorder over a log that answers when the test says so. */
const withLog = (after = 0) => {
  const told: string[] = []
  const waiting: { events: readonly StampedEvent[]; done(): void; fail(cause: Error): void }[] = []
  const failures: unknown[] = []
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const recorder = createRecorder({
    sessionId: 's',
    after,
    now: () => 7,
    append(events) {
      const { promise, resolve: done, reject: fail } = Promise.withResolvers<void>()
      told.push(`append ${events.map(({ seq }) => seq).join(',')}`)
      waiting.push({ events, done, fail })
      resolve()
      return promise
    },
    publish: (event) => told.push(`publish ${event.seq} ${event.type}`),
    onFailure: (cause) => failures.push(cause),
  })
  return { recorder, told, waiting, failures, asked }
}

test('what is told has been stored before; one chunk is one batch', async () => {
  const { recorder, told, waiting, asked } = withLog()
  recorder.push([start, turn])
  await asked
  expect(told).toEqual(['append 1,2'])
  waiting[0]?.done()
  await recorder.settled()
  expect(told).toEqual(['append 1,2', 'publish 1 agent_start', 'publish 2 turn_start'])
})

test('while the log writes, the next batch gathers', async () => {
  const { recorder, told, waiting, asked } = withLog(10)
  recorder.push([start])
  await asked
  recorder.push([turn])
  recorder.push([end])
  waiting[0]?.done()
  const settled = recorder.settled()
  await new Promise((resolve) => setImmediate(resolve))
  waiting[1]?.done()
  await settled
  expect(told.filter((line) => line.startsWith('append'))).toEqual(['append 11', 'append 12,13'])
})

test('when the log fails nothing more is told, and the failure is', async () => {
  const { recorder, told, waiting, failures, asked } = withLog()
  recorder.push([start])
  await asked
  waiting[0]?.fail(new Error('disk full'))
  await recorder.settled()
  recorder.push([end])
  await recorder.close()
  expect(told).toEqual(['append 1'])
  expect(failures).toEqual([new Error('disk full')])
})

test('what is pushed just when the last batch is told does not wait for more', async () => {
  const told: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const recorder = createRecorder({
    sessionId: 's',
    after: 0,
    now: () => 7,
    append: async () => {},
    publish(event) {
      told.push(event.type)
      if (told.length === 12) return resolve()
      // Each time one turn of the queue of promises later: one of them falls behind the last batch.
      let left = told.length
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
  expect(told).toHaveLength(12)
})
