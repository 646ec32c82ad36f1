import { describe, expect, test } from 'vitest'
import { type BusMessage, PiSdkSubjects } from '../../../src/bus/index.ts'
import { ask, delta, no, type Start, silence, turns } from './support.ts'

/** What a bus promises when it ends. */
export const closeContract = (start: Start) =>
  describe('close', () => {
    test('ends open requests at once', async () => {
      const { bus } = await start()
      const told = silence(bus)
      const reply = bus.request(PiSdkSubjects.tool_approval, ask)
      await turns(1)
      await bus.close()
      expect(await reply).toEqual(no('closed'))
      expect(await told).toBe('closed')
    })

    test('delivers what was told before, then ends the subscriptions', async () => {
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

    test('is for good: nothing is told, asked or heard any more', async () => {
      const { bus, reports } = await start()
      await bus.close()
      const heard: BusMessage[] = []
      const ended = new Promise<string>((resolve) => {
        bus.on('>', (message) => void heard.push(message), { onEnd: resolve })
      })
      bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
      bus.emit(PiSdkSubjects.text_delta, delta('late'))
      expect(await ended).toBe('closed')
      expect(await bus.request(PiSdkSubjects.tool_approval, ask)).toEqual(no('closed'))
      await bus.close()
      expect({ heard, reports }).toEqual({ heard: [], reports: [] })
    })
  })
