import { describe, expect, test } from 'vitest'
import { ClaudeCliSubjects, PiSdkSubjects } from '../../../src/bus/index.ts'
import {
  approvalRequest,
  callUntyped,
  collect,
  delta,
  neverRespond,
  type Start,
} from './support.ts'

const remember = { scope: 'session', rule: { tool: 'bash', pattern: 'ls' } } as const

/** What every bus guarantees about requests. */
export const requestsContract = (start: Start) =>
  describe('request and respond', () => {
    test('a request is answered by the responder', async () => {
      const { bus } = await start()
      const requests: unknown[] = []
      bus.respond(PiSdkSubjects.tool_approval, async (request) => {
        requests.push(request)
        return { action: 'allow', updatedInput: { command: 'ls' }, remember }
      })
      expect(await bus.request(PiSdkSubjects.tool_approval, approvalRequest)).toEqual({
        outcome: 'answered',
        value: { action: 'allow', updatedInput: { command: 'ls' }, remember },
      })
      expect(requests).toEqual([approvalRequest])
    })

    test('a request without a responder ends with no_responder', async () => {
      const { bus } = await start()
      const undo = bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'deny' }))
      expect(await bus.request(ClaudeCliSubjects.tool_approval, approvalRequest)).toEqual({
        outcome: 'no_responder',
      })
      undo()
      expect(await bus.request(PiSdkSubjects.tool_approval, approvalRequest)).toEqual({
        outcome: 'no_responder',
      })
    })

    test('a subject has one responder at a time', async () => {
      const { bus } = await start()
      const undo = bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'deny' }))
      const second = () => bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
      expect(second).toThrow(/already has a responder/)
      undo()
      second()
      undo() // has no effect on the second one
      const reply = await bus.request(PiSdkSubjects.tool_approval, approvalRequest)
      expect(reply).toEqual({ outcome: 'answered', value: { action: 'allow' } })
    })

    test('a responder learns that its deadline has passed', async () => {
      const { bus } = await start()
      const reason = neverRespond(bus)
      const reply = await bus.request(PiSdkSubjects.tool_approval, approvalRequest, {
        deadlineMs: 1,
      })
      expect(reply).toEqual({ outcome: 'timed_out' })
      expect(await reason).toBe('timed_out')
    })

    test('a request whose deadline has passed is not sent', async () => {
      const { bus } = await start()
      bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
      for (const deadlineMs of [0, -1, Number.NaN])
        expect(
          await bus.request(PiSdkSubjects.tool_approval, approvalRequest, { deadlineMs }),
        ).toEqual({ outcome: 'timed_out' })
    })

    test('a signal cancels a request', async () => {
      const { bus } = await start()
      const reason = neverRespond(bus)
      const controller = new AbortController()
      const reply = bus.request(PiSdkSubjects.tool_approval, approvalRequest, {
        signal: controller.signal,
      })
      controller.abort()
      expect(await reply).toEqual({ outcome: 'closed' })
      expect(await reason).toBe('closed')
      const late = bus.request(PiSdkSubjects.tool_approval, approvalRequest, {
        signal: controller.signal,
      })
      expect(await late).toEqual({ outcome: 'closed' })
    })

    test('a responder that throws, or whose response is invalid, has failed', async () => {
      const { bus, reports } = await start()
      bus.respond(PiSdkSubjects.tool_approval, () => {
        throw new Error('no idea')
      })
      callUntyped(bus.respond, ClaudeCliSubjects.tool_approval, () => ({ action: 'perhaps' }))
      expect(await bus.request(PiSdkSubjects.tool_approval, approvalRequest)).toEqual({
        outcome: 'failed',
        message: 'no idea',
      })
      expect(await bus.request(ClaudeCliSubjects.tool_approval, approvalRequest)).toEqual({
        outcome: 'failed',
        message: expect.stringContaining(`Invalid response on ${ClaudeCliSubjects.tool_approval}`),
      })
      await bus.close()
      expect(reports.map(({ code }) => code)).toEqual(['responder_failed', 'responder_failed'])
    })

    test('an invalid request is rejected and not sent', async () => {
      const { bus } = await start()
      let isCalled = false
      bus.respond(PiSdkSubjects.tool_approval, () => {
        isCalled = true
        return { action: 'allow' }
      })
      const { toolCallId, ...wrong } = approvalRequest
      const request: unknown = callUntyped(bus.request, PiSdkSubjects.tool_approval, wrong)
      await expect(request).rejects.toThrow(/Invalid request on/)
      expect(isCalled).toBe(false)
    })

    test('a slow response delays neither other requests nor messages', async () => {
      const { bus } = await start()
      const first = Promise.withResolvers<void>()
      bus.respond(PiSdkSubjects.tool_approval, async ({ toolCallId }) => {
        if (toolCallId === 'first') await first.promise
        return { action: 'allow', message: toolCallId }
      })
      const slow = bus.request(PiSdkSubjects.tool_approval, {
        ...approvalRequest,
        toolCallId: 'first',
      })
      const received = collect(bus, PiSdkSubjects.text_delta, 1)
      bus.emit(PiSdkSubjects.text_delta, delta('meanwhile'))
      await received
      const quick = await bus.request(PiSdkSubjects.tool_approval, approvalRequest)
      expect(quick).toMatchObject({ outcome: 'answered', value: { message: 'call' } })
      first.resolve()
      expect(await slow).toMatchObject({ outcome: 'answered', value: { message: 'first' } })
    })
  })
