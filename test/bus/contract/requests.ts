import { describe, expect, test } from 'vitest'
import { ClaudeCliSubjects, PiSdkSubjects } from '../../../src/bus/index.ts'
import { ask, call, delta, gather, no, type Start, silence } from './support.ts'

/** What a bus promises to those who ask and answer. */
export const requestsContract = (start: Start) =>
  describe('request and respond', () => {
    test('is answered by the responder', async () => {
      const { bus } = await start()
      const asked: unknown[] = []
      bus.respond(PiSdkSubjects.tool_approval, async (request) => {
        asked.push(request)
        return { action: 'allow', updatedInput: { command: 'ls' }, remember: 'tool' }
      })
      expect(await bus.request(PiSdkSubjects.tool_approval, ask)).toEqual({
        outcome: 'answered',
        value: { action: 'allow', updatedInput: { command: 'ls' }, remember: 'tool' },
      })
      expect(asked).toEqual([ask])
    })

    test('without a responder there is none, also after its undo', async () => {
      const { bus } = await start()
      const undo = bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'deny' }))
      expect(await bus.request(ClaudeCliSubjects.tool_approval, ask)).toEqual(no('no_responder'))
      undo()
      expect(await bus.request(PiSdkSubjects.tool_approval, ask)).toEqual(no('no_responder'))
    })

    test('a subject has one responder; when it has left, another may come', async () => {
      const { bus } = await start()
      const undo = bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'deny' }))
      const second = () => bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
      expect(second).toThrow(/already has a responder/)
      undo()
      second()
      undo() // an undo that was used up takes nobody else away
      const reply = await bus.request(PiSdkSubjects.tool_approval, ask)
      expect(reply).toEqual({ outcome: 'answered', value: { action: 'allow' } })
    })

    test('a responder that does not answer in time is told so', async () => {
      const { bus } = await start()
      const told = silence(bus)
      const reply = await bus.request(PiSdkSubjects.tool_approval, ask, { deadlineMs: 1 })
      expect(reply).toEqual(no('timed_out'))
      expect(await told).toBe('timed_out')
    })

    test('a deadline that is past asks nobody', async () => {
      const { bus } = await start()
      bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
      for (const deadlineMs of [0, -1, Number.NaN])
        expect(await bus.request(PiSdkSubjects.tool_approval, ask, { deadlineMs })).toEqual(
          no('timed_out'),
        )
    })

    test('a signal takes the question back', async () => {
      const { bus } = await start()
      const told = silence(bus)
      const asker = new AbortController()
      const reply = bus.request(PiSdkSubjects.tool_approval, ask, { signal: asker.signal })
      asker.abort()
      expect(await reply).toEqual(no('closed'))
      expect(await told).toBe('closed')
      const late = bus.request(PiSdkSubjects.tool_approval, ask, { signal: asker.signal })
      expect(await late).toEqual(no('closed'))
    })

    test('a responder that throws, or whose response does not fit, has failed', async () => {
      const { bus, reports } = await start()
      bus.respond(PiSdkSubjects.tool_approval, () => {
        throw new Error('no idea')
      })
      call(bus.respond, ClaudeCliSubjects.tool_approval, () => ({ action: 'perhaps' }))
      expect(await bus.request(PiSdkSubjects.tool_approval, ask)).toEqual({
        outcome: 'failed',
        message: 'no idea',
      })
      expect(await bus.request(ClaudeCliSubjects.tool_approval, ask)).toEqual({
        outcome: 'failed',
        message: expect.stringContaining(`Invalid response on ${ClaudeCliSubjects.tool_approval}`),
      })
      await bus.close()
      expect(reports.map(({ code }) => code)).toEqual(['responder_failed', 'responder_failed'])
    })

    test('a wrong request is rejected, and nobody is asked', async () => {
      const { bus } = await start()
      let isAsked = false
      bus.respond(PiSdkSubjects.tool_approval, () => {
        isAsked = true
        return { action: 'allow' }
      })
      const { toolCallId, ...wrong } = ask
      const request: unknown = call(bus.request, PiSdkSubjects.tool_approval, wrong)
      await expect(request).rejects.toThrow(/Invalid request on/)
      expect(isAsked).toBe(false)
    })

    test('an answer that waits holds up neither other requests nor the messages', async () => {
      const { bus } = await start()
      const first = Promise.withResolvers<void>()
      bus.respond(PiSdkSubjects.tool_approval, async ({ toolCallId }) => {
        if (toolCallId === 'first') await first.promise
        return { action: 'allow', message: toolCallId }
      })
      const slow = bus.request(PiSdkSubjects.tool_approval, { ...ask, toolCallId: 'first' })
      const heard = gather(bus, PiSdkSubjects.text_delta, 1)
      bus.emit(PiSdkSubjects.text_delta, delta('meanwhile'))
      await heard
      const quick = await bus.request(PiSdkSubjects.tool_approval, ask)
      expect(quick).toMatchObject({ outcome: 'answered', value: { message: 'call' } })
      first.resolve()
      expect(await slow).toMatchObject({ outcome: 'answered', value: { message: 'first' } })
    })
  })
