import { describe, expect, test } from 'vitest'
import { type BusMessage, PiSdkSubjects } from '../../../src/bus/index.ts'
import { approvalRequest, delta, neverRespond, type Start, turns } from './support.ts'

/** What every bus guarantees when it closes. */
export const closeContract = (start: Start) =>
  describe('close', () => {
    test('ends open requests at once', async () => {
      const { bus } = await start()
      const reason = neverRespond(bus)
      const reply = bus.request(PiSdkSubjects.tool_approval, approvalRequest)
      await turns(1)
      await bus.close()
      expect(await reply).toEqual({ outcome: 'closed' })
      expect(await reason).toBe('closed')
    })

    test('delivers what was emitted before, then ends the subscriptions', async () => {
      const { bus } = await start()
      const seen: string[] = []
      const handler = async ({ payload }: { payload: { delta: string } }) => {
        await turns(1)
        seen.push(payload.delta)
      }
      const onEnd = (reason: string) => void seen.push(reason)
      bus.on(PiSdkSubjects.text_delta, handler, { onEnd })
      for (const word of ['one', 'two']) bus.emit(PiSdkSubjects.text_delta, delta(word))
      const closing = bus.close()
      bus.emit(PiSdkSubjects.text_delta, delta('late'))
      await closing
      expect(seen).toEqual(['one', 'two', 'closed'])
    })

    test('is final: nothing can be sent or received afterwards', async () => {
      const { bus, reports } = await start()
      await bus.close()
      const received: BusMessage[] = []
      const ended = new Promise<string>((resolve) => {
        bus.on('>', (message) => void received.push(message), { onEnd: resolve })
      })
      bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
      bus.emit(PiSdkSubjects.text_delta, delta('late'))
      expect(await ended).toBe('closed')
      expect(await bus.request(PiSdkSubjects.tool_approval, approvalRequest)).toEqual({
        outcome: 'closed',
      })
      await bus.close()
      expect({ received, reports }).toEqual({ received: [], reports: [] })
    })
  })
