import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type BusMessage,
  type BusReport,
  createLocalBus,
  PiSdkSubjects,
} from '../../src/bus/index.ts'
import { ask, delta, gather, silence } from './contract/support.ts'
import { busContract } from './contract.ts'

busContract('local', createLocalBus)

const open = (drainMs?: number) => {
  const reports: BusReport[] = []
  const onError = (report: BusReport) => void reports.push(report)
  return { reports, bus: createLocalBus({ onError, ...(drainMs !== undefined && { drainMs }) }) }
}

describe('local bus, by the clock', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('a request without a deadline of its own waits for a minute', async () => {
    const { bus } = open()
    void silence(bus)
    const replies: unknown[] = []
    const asked = bus
      .request(PiSdkSubjects.tool_approval, ask)
      .then((reply) => void replies.push(reply))
    await vi.advanceTimersByTimeAsync(59_999)
    expect(replies).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(replies).toEqual([{ outcome: 'timed_out' }])
    await asked
  })

  test('a deadline beyond what a timer can count is waited for all the same', async () => {
    const { bus } = open()
    void silence(bus)
    const replies: unknown[] = []
    const deadlineMs = Number.POSITIVE_INFINITY
    const asked = bus
      .request(PiSdkSubjects.tool_approval, ask, { deadlineMs })
      .then((reply) => void replies.push(reply))
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(replies).toEqual([])
    await bus.close()
    await asked
    expect(replies).toEqual([{ outcome: 'closed' }])
  })

  test('an answered request leaves no timer and no listener behind', async () => {
    const { bus } = open()
    const asker = new AbortController()
    const removed = vi.spyOn(asker.signal, 'removeEventListener')
    bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
    await bus.request(PiSdkSubjects.tool_approval, ask, { signal: asker.signal })
    expect(vi.getTimerCount()).toBe(0)
    expect(removed).toHaveBeenCalledOnce()
  })

  test('close does not wait for ever for a handler that hangs', async () => {
    const { bus, reports } = open(500)
    const ends: string[] = []
    const hang = () => new Promise<void>(() => {})
    bus.on('*.text_delta', hang, { onEnd: (reason) => void ends.push(reason) })
    bus.emit(PiSdkSubjects.text_delta, delta('in hand'))
    bus.emit(PiSdkSubjects.text_delta, delta('never seen'))
    const closing = bus.close()
    await vi.advanceTimersByTimeAsync(500)
    await closing
    expect(ends).toEqual(['slow_subscriber'])
    expect(reports).toMatchObject([{ code: 'slow_subscriber', pattern: '*.text_delta' }])
  })
})

test('everybody gets the same object', async () => {
  const { bus } = open()
  const payload = delta('one')
  const both = [gather(bus, PiSdkSubjects.text_delta, 1), gather(bus, '*.text_delta', 1)]
  bus.emit(PiSdkSubjects.text_delta, payload)
  for (const [message] of await Promise.all(both)) expect(message?.payload).toBe(payload)
})

test('4096 messages may wait by default, and not one more', async () => {
  const { bus, reports } = open()
  const heard: BusMessage[] = []
  bus.on('*.text_delta', (message) => void heard.push(message))
  for (let left = 4096; left > 0; left -= 1) bus.emit(PiSdkSubjects.text_delta, delta('x'))
  await bus.close()
  expect(heard).toHaveLength(4096)
  expect(reports).toEqual([])

  const full = open()
  full.bus.on('*.text_delta', (message) => void heard.push(message))
  for (let left = 4097; left > 0; left -= 1) full.bus.emit(PiSdkSubjects.text_delta, delta('x'))
  await full.bus.close()
  expect(heard).toHaveLength(4096)
  expect(full.reports).toEqual([{ code: 'slow_subscriber', pattern: '*.text_delta', limit: 4096 }])
})

test('a subscriber whose end throws hurts nobody, and is reported', async () => {
  const { bus, reports } = open()
  const onEnd = () => {
    throw new Error('thrown at the end')
  }
  bus.on('>', () => {}, { limit: 0, onEnd })
  const heard = gather(bus, '>', 1)
  bus.emit(PiSdkSubjects.text_delta, delta('x'))
  expect(await heard).toHaveLength(1)
  await bus.close()
  expect(reports.map(({ code }) => code)).toEqual(['slow_subscriber', 'handler_failed'])
})

test('a responder that gives up when nobody waits any more has not failed', async () => {
  const { bus, reports } = open()
  const gaveUp = new Promise<void>((resolve) => {
    bus.respond(PiSdkSubjects.tool_approval, (_, { signal }) => {
      const { promise, reject } = Promise.withResolvers<{ action: 'allow' }>()
      signal.addEventListener('abort', () => {
        reject(new Error('given up'))
        resolve()
      })
      return promise
    })
  })
  await bus.request(PiSdkSubjects.tool_approval, ask, { deadlineMs: 1 })
  await gaveUp
  await bus.close()
  expect(reports).toEqual([])
})
