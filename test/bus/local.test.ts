import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type BusMessage,
  type BusReport,
  createLocalBus,
  PiSdkSubjects,
} from '../../src/bus/index.ts'
import { approvalRequest, collect, delta, neverRespond } from './contract/support.ts'
import { busContract } from './contract.ts'

busContract('local', createLocalBus)

const open = (drainMs?: number) => {
  const reports: BusReport[] = []
  const onError = (report: BusReport) => void reports.push(report)
  return { reports, bus: createLocalBus({ onError, ...(drainMs !== undefined && { drainMs }) }) }
}

describe('deadlines of the local bus', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('a request waits for a minute by default', async () => {
    const { bus } = open()
    void neverRespond(bus)
    const replies: unknown[] = []
    const done = bus
      .request(PiSdkSubjects.tool_approval, approvalRequest)
      .then((reply) => void replies.push(reply))
    await vi.advanceTimersByTimeAsync(59_999)
    expect(replies).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(replies).toEqual([{ outcome: 'timed_out' }])
    await done
  })

  test('a deadline may be longer than a timer can count', async () => {
    const { bus } = open()
    void neverRespond(bus)
    const replies: unknown[] = []
    const deadlineMs = Number.POSITIVE_INFINITY
    const done = bus
      .request(PiSdkSubjects.tool_approval, approvalRequest, { deadlineMs })
      .then((reply) => void replies.push(reply))
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(replies).toEqual([])
    await bus.close()
    await done
    expect(replies).toEqual([{ outcome: 'closed' }])
  })

  test('an answered request leaves no timer and no listener', async () => {
    const { bus } = open()
    const controller = new AbortController()
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
    await bus.request(PiSdkSubjects.tool_approval, approvalRequest, { signal: controller.signal })
    expect(vi.getTimerCount()).toBe(0)
    expect(removed).toHaveBeenCalledOnce()
  })

  test('close does not wait forever for a handler that hangs', async () => {
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

test('all subscribers get the same object', async () => {
  const { bus } = open()
  const payload = delta('one')
  const both = [collect(bus, PiSdkSubjects.text_delta, 1), collect(bus, '*.text_delta', 1)]
  bus.emit(PiSdkSubjects.text_delta, payload)
  for (const [message] of await Promise.all(both)) expect(message?.payload).toBe(payload)
})

test('by default, 4096 messages may wait', async () => {
  const { bus, reports } = open()
  const received: BusMessage[] = []
  bus.on('*.text_delta', (message) => void received.push(message))
  for (let left = 4096; left > 0; left -= 1) bus.emit(PiSdkSubjects.text_delta, delta('x'))
  await bus.close()
  expect(received).toHaveLength(4096)
  expect(reports).toEqual([])

  const full = open()
  full.bus.on('*.text_delta', (message) => void received.push(message))
  for (let left = 4097; left > 0; left -= 1) full.bus.emit(PiSdkSubjects.text_delta, delta('x'))
  await full.bus.close()
  expect(received).toHaveLength(4096)
  expect(full.reports).toEqual([{ code: 'slow_subscriber', pattern: '*.text_delta', limit: 4096 }])
})

test('an error in onEnd is reported and harms no other subscriber', async () => {
  const { bus, reports } = open()
  const onEnd = () => {
    throw new Error('thrown at the end')
  }
  bus.on('>', () => {}, { limit: 0, onEnd })
  const received = collect(bus, '>', 1)
  bus.emit(PiSdkSubjects.text_delta, delta('x'))
  expect(await received).toHaveLength(1)
  await bus.close()
  expect(reports.map(({ code }) => code)).toEqual(['slow_subscriber', 'handler_failed'])
})

test('a responder may give up once nobody waits for its response', async () => {
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
  await bus.request(PiSdkSubjects.tool_approval, approvalRequest, { deadlineMs: 1 })
  await gaveUp
  await bus.close()
  expect(reports).toEqual([])
})
