import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BusMessage, ClaudeCliSubjects, PiSdkSubjects } from '../../../src/bus/index.ts'
import type { Pattern } from '../../../src/bus/pattern.ts'
import { approvalRequest, callUntyped, collect, delta, type Start, turn, turns } from './support.ts'

/** What every bus guarantees about messages. */
export const messagesContract = (start: Start) =>
  describe('emit and on', () => {
    test('a message reaches the subscribers of its subject, and no others', async () => {
      const { bus } = await start()
      const elsewhere: BusMessage[] = []
      bus.on(PiSdkSubjects.thinking_delta, (message) => void elsewhere.push(message))
      const received = collect(bus, PiSdkSubjects.text_delta, 1)
      bus.emit(PiSdkSubjects.text_delta, delta('hi'))
      expect(await received).toEqual([{ subject: PiSdkSubjects.text_delta, payload: delta('hi') }])
      expect(elsewhere).toEqual([])
    })

    test.each<[Pattern, string[]]>([
      ['adapter:piSdk.*', ['pi']],
      ['adapter:piSdk.>', ['pi', 'turn']],
      ['*.text_delta', ['pi', 'claude']],
      ['*.turn.*', ['turn']],
      ['>', ['pi', 'claude', 'turn']],
    ])('%s matches %j', async (pattern, expected) => {
      const { bus } = await start()
      const received = collect(bus, pattern, expected.length)
      bus.emit(PiSdkSubjects.text_delta, delta('pi'))
      bus.emit(ClaudeCliSubjects.text_delta, delta('claude'))
      bus.emit(PiSdkSubjects['turn.turn_started'], turn('turn'))
      expect((await received).map(({ payload }) => payload.sessionId)).toEqual(expected)
    })

    test('a subject is wanted while it has a subscriber', async () => {
      const { bus } = await start()
      const wanted = () =>
        [PiSdkSubjects.text_delta, ClaudeCliSubjects.text_delta].map((subject) =>
          bus.isWanted(subject),
        )
      expect(wanted()).toEqual([false, false])
      const end = bus.on(PiSdkSubjects.text_delta, () => {})
      expect(wanted()).toEqual([true, false])
      end()
      expect(wanted()).toEqual([false, false])
      bus.on('>', () => {})
      expect(wanted()).toEqual([true, true])
      await bus.close()
      expect(wanted()).toEqual([false, false])
    })

    test('no handler runs inside emit', async () => {
      const { bus } = await start()
      let isEmitting = true
      const received = new Promise<boolean>((resolve) => {
        bus.on(PiSdkSubjects.text_delta, () => resolve(isEmitting))
      })
      bus.emit(PiSdkSubjects.text_delta, delta('hi'))
      isEmitting = false
      expect(await received).toBe(false)
    })

    test('an ended subscription gets nothing more, not even earlier messages', async () => {
      const { bus } = await start()
      const missed: BusMessage[] = []
      const unsubscribe = bus.on(PiSdkSubjects.text_delta, (message) => void missed.push(message))
      const received = collect(bus, PiSdkSubjects.text_delta, 2)
      bus.emit(PiSdkSubjects.text_delta, delta('one'))
      unsubscribe()
      unsubscribe()
      bus.emit(PiSdkSubjects.text_delta, delta('two'))
      await received
      expect(missed).toEqual([])
    })

    test('a handler gets its next message when its promise settles', async () => {
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

    test('every subscriber gets all messages in order, however slow it is', async () => {
      const emitted = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 60 })
      const slowness = fc.array(fc.nat(3), { minLength: 1, maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(emitted, slowness, async (sessions, waits) => {
          const { bus } = await start()
          const received = waits.map((wait) =>
            collect(bus, '>', sessions.length, () => turns(wait)),
          )
          sessions.forEach((sessionId, at) => {
            const payload = { ...delta(String(at)), sessionId }
            const to = at % 2 === 0 ? PiSdkSubjects : ClaudeCliSubjects
            bus.emit(to.text_delta, payload)
          })
          for (const messages of await Promise.all(received))
            expect(messages.map(({ payload }) => payload.sessionId)).toEqual(sessions)
          await bus.close()
        }),
        { numRuns: 50 },
      )
    })

    test('a handler that throws or rejects is reported and harms no other', async () => {
      const { bus, reports } = await start()
      bus.on(PiSdkSubjects.text_delta, () => {
        throw new Error('thrown')
      })
      bus.on('*.text_delta', () => Promise.reject(new Error('rejected')))
      const received = collect(bus, PiSdkSubjects.text_delta, 2)
      bus.emit(PiSdkSubjects.text_delta, delta('one'))
      bus.emit(PiSdkSubjects.text_delta, delta('two'))
      expect(await received).toHaveLength(2)
      await bus.close()
      expect(reports).toHaveLength(4)
      expect(reports).toContainEqual({
        code: 'handler_failed',
        pattern: '*.text_delta',
        subject: PiSdkSubjects.text_delta,
        error: new Error('rejected'),
      })
    })

    test('a subscriber that falls behind is ended, without harm to others', async () => {
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
      const received = collect(bus, PiSdkSubjects.text_delta, words.length)
      for (const word of words) bus.emit(PiSdkSubjects.text_delta, delta(word))
      expect(await ended).toBe('slow_subscriber')
      expect((await received).map(({ payload }) => payload.delta)).toEqual(words)
      never.resolve()
      await bus.close()
      expect(seen.length).toBeLessThan(2) // nothing is delivered after a gap
      expect(reports).toEqual([{ code: 'slow_subscriber', pattern: '*.text_delta', limit: 2 }])
    })

    test('an invalid payload throws and is not delivered', async () => {
      const { bus } = await start()
      const received = collect(bus, '>', 1)
      const wrong: unknown = { ...delta('x'), delta: 7 }
      expect(() => callUntyped(bus.emit, PiSdkSubjects.text_delta, wrong)).toThrow(
        /Invalid payload on/,
      )
      bus.emit(PiSdkSubjects.text_delta, delta('right'))
      expect(await received).toMatchObject([{ payload: { delta: 'right' } }])
    })

    test('an unknown subject throws', async () => {
      const { bus } = await start()
      const handler = () => {}
      expect(() => callUntyped(bus.emit, 'adapter:piSdk.nothing', {})).toThrow(
        /is not an? \w+ subject/,
      )
      expect(() => callUntyped(bus.emit, PiSdkSubjects.tool_approval, approvalRequest)).toThrow(
        /is not an? \w+ subject/,
      )
      expect(() => callUntyped(bus.on, 'adapter:piSdk.nothing', handler)).toThrow(
        /matches no event subject/,
      )
      expect(() => callUntyped(bus.on, PiSdkSubjects.tool_approval, handler)).toThrow(
        /matches no event subject/,
      )
      expect(() => bus.on('nothing.>', handler)).toThrow(/matches no event subject/)
      expect(() => bus.on('adapter:piSdk.text*', handler)).toThrow(/is not a valid pattern/)
      expect(() => callUntyped(bus.respond, PiSdkSubjects.text_delta, handler)).toThrow(
        /is not an? \w+ subject/,
      )
    })
  })
