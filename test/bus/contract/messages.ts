import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BusMessage, ClaudeCliSubjects, PiSdkSubjects } from '../../../src/bus/index.ts'
import type { Pattern } from '../../../src/bus/pattern.ts'
import { ask, call, delta, gather, type Start, turn, turns } from './support.ts'

/** What a bus promises to those who tell and listen. */
export const messagesContract = (start: Start) =>
  describe('emit and on', () => {
    test('what is told on a subject reaches those who listen to it, and nobody else', async () => {
      const { bus } = await start()
      const elsewhere: BusMessage[] = []
      bus.on(PiSdkSubjects.thinking_delta, (message) => void elsewhere.push(message))
      const heard = gather(bus, PiSdkSubjects.text_delta, 1)
      bus.emit(PiSdkSubjects.text_delta, delta('hi'))
      expect(await heard).toEqual([{ subject: PiSdkSubjects.text_delta, payload: delta('hi') }])
      expect(elsewhere).toEqual([])
    })

    test.each<[Pattern, string[]]>([
      ['adapter:piSdk.*', ['pi']],
      ['adapter:piSdk.>', ['pi', 'turn']],
      ['*.text_delta', ['pi', 'claude']],
      ['*.turn.*', ['turn']],
      ['>', ['pi', 'claude', 'turn']],
    ])('%s means what it says', async (pattern, expected) => {
      const { bus } = await start()
      const heard = gather(bus, pattern, expected.length)
      bus.emit(PiSdkSubjects.text_delta, delta('pi'))
      bus.emit(ClaudeCliSubjects.text_delta, delta('claude'))
      bus.emit(PiSdkSubjects['turn.turn_started'], turn('turn'))
      expect((await heard).map(({ payload }) => payload.sessionId)).toEqual(expected)
    })

    test('no handler runs inside of emit', async () => {
      const { bus } = await start()
      let isTelling = true
      const heard = new Promise<boolean>((resolve) => {
        bus.on(PiSdkSubjects.text_delta, () => resolve(isTelling))
      })
      bus.emit(PiSdkSubjects.text_delta, delta('hi'))
      isTelling = false
      expect(await heard).toBe(false)
    })

    test('after its undo a handler is not called, not even with what was told before', async () => {
      const { bus } = await start()
      const missed: BusMessage[] = []
      const undo = bus.on(PiSdkSubjects.text_delta, (message) => void missed.push(message))
      const heard = gather(bus, PiSdkSubjects.text_delta, 2)
      bus.emit(PiSdkSubjects.text_delta, delta('one'))
      undo()
      undo()
      bus.emit(PiSdkSubjects.text_delta, delta('two'))
      await heard
      expect(missed).toEqual([])
    })

    test('a handler’s promise is waited for before its next message', async () => {
      const { bus } = await start()
      const steps: string[] = []
      const done = new Promise<void>((resolve) => {
        bus.on(PiSdkSubjects.text_delta, async ({ payload }) => {
          steps.push(`begin ${payload.delta}`)
          await turns(3)
          steps.push(`end ${payload.delta}`)
          if (payload.delta === 'two') resolve()
        })
      })
      bus.emit(PiSdkSubjects.text_delta, delta('one'))
      bus.emit(PiSdkSubjects.text_delta, delta('two'))
      await done
      expect(steps).toEqual(['begin one', 'end one', 'begin two', 'end two'])
    })

    test('every subscriber sees every session in its order, however slow they are', async () => {
      const told = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 60 })
      const slowness = fc.array(fc.nat(3), { minLength: 1, maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(told, slowness, async (sessions, waits) => {
          const { bus } = await start()
          const heard = waits.map((wait) => gather(bus, '>', sessions.length, () => turns(wait)))
          sessions.forEach((sessionId, at) => {
            const payload = { ...delta(String(at)), sessionId }
            const to = at % 2 === 0 ? PiSdkSubjects : ClaudeCliSubjects
            bus.emit(to.text_delta, payload)
          })
          for (const messages of await Promise.all(heard))
            expect(messages.map(({ payload }) => payload.sessionId)).toEqual(sessions)
          await bus.close()
        }),
        { numRuns: 50 },
      )
    })

    test('a handler that throws or rejects hurts nobody and is reported', async () => {
      const { bus, reports } = await start()
      bus.on(PiSdkSubjects.text_delta, () => {
        throw new Error('thrown')
      })
      bus.on('*.text_delta', () => Promise.reject(new Error('rejected')))
      const heard = gather(bus, PiSdkSubjects.text_delta, 2)
      bus.emit(PiSdkSubjects.text_delta, delta('one'))
      bus.emit(PiSdkSubjects.text_delta, delta('two'))
      expect(await heard).toHaveLength(2)
      await bus.close()
      expect(reports).toHaveLength(4)
      expect(reports).toContainEqual({
        code: 'handler_failed',
        pattern: '*.text_delta',
        subject: PiSdkSubjects.text_delta,
        error: new Error('rejected'),
      })
    })

    test('a subscriber that falls behind is dropped, and others do not notice', async () => {
      const { bus, reports } = await start()
      const never = Promise.withResolvers<void>()
      const seen: BusMessage[] = []
      const ended = new Promise<string>((resolve) => {
        const handler = (message: BusMessage) => {
          seen.push(message)
          return never.promise
        }
        bus.on('*.text_delta', handler, { limit: 2, onEnd: resolve })
      })
      const words = ['0', '1', '2', '3', '4']
      const heard = gather(bus, PiSdkSubjects.text_delta, words.length)
      for (const word of words) bus.emit(PiSdkSubjects.text_delta, delta(word))
      expect(await ended).toBe('slow_subscriber')
      expect((await heard).map(({ payload }) => payload.delta)).toEqual(words)
      never.resolve()
      await bus.close()
      expect(seen.length).toBeLessThan(2) // what comes after a hole is not shown
      expect(reports).toEqual([{ code: 'slow_subscriber', pattern: '*.text_delta', limit: 2 }])
    })

    test('a wrong payload is thrown, and nobody hears it', async () => {
      const { bus } = await start()
      const heard = gather(bus, '>', 1)
      const wrong: unknown = { ...delta('x'), delta: 7 }
      expect(() => call(bus.emit, PiSdkSubjects.text_delta, wrong)).toThrow(/Invalid payload on/)
      bus.emit(PiSdkSubjects.text_delta, delta('right'))
      expect(await heard).toMatchObject([{ payload: { delta: 'right' } }])
    })

    test('what the table does not know is thrown', async () => {
      const { bus } = await start()
      const handler = () => {}
      expect(() => call(bus.emit, 'adapter:piSdk.nothing', {})).toThrow(/is not an? \w+ subject/)
      expect(() => call(bus.emit, PiSdkSubjects.tool_approval, ask)).toThrow(
        /is not an? \w+ subject/,
      )
      expect(() => call(bus.on, 'adapter:piSdk.nothing', handler)).toThrow(
        /matches no event subject/,
      )
      expect(() => call(bus.on, PiSdkSubjects.tool_approval, handler)).toThrow(
        /matches no event subject/,
      )
      expect(() => bus.on('nothing.>', handler)).toThrow(/matches no event subject/)
      expect(() => bus.on('adapter:piSdk.text*', handler)).toThrow(/is not a valid pattern/)
      expect(() => call(bus.respond, PiSdkSubjects.text_delta, handler)).toThrow(
        /is not an? \w+ subject/,
      )
    })
  })
