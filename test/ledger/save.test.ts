import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLedger, type Ledger, type SavedLedger } from '../../src/ledger/ledger.ts'
import type { UsageRow } from '../../src/ledger/usage-rows.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'

const usageOf = (ledger: Ledger) => ({
  totals: ledger.totals(),
  byModel: ledger.byModel(),
  context: ledger.context(),
})

/** Stores a ledger as a log does: as JSON, with rows by key. */
const createStorage = () => {
  const rows = new Map<string, string>()
  let state = ''
  return {
    save(ledger: Ledger): void {
      const saved = ledger.save()
      for (const [key, row] of saved.rows) rows.set(key, JSON.stringify(row))
      state = JSON.stringify(saved.state)
    },
    load: (): SavedLedger => ({
      rows: [...rows].map(([key, text]): [string, UsageRow] => [
        key,
        { costUsd: undefined, ...JSON.parse(text) },
      ]),
      state: JSON.parse(state),
    }),
  }
}

const some = recordings.filter((_, index) => index % 3 === 0)

describe('a ledger that is saved and continued at any event', () => {
  test.each(some.map((each) => [each.name, each] as const))(
    '%s: equals a ledger that was never saved',
    (_, { agent, bytes }) => {
      const events = decodeChunks(agent, [bytes()])
      const whole = createLedger()
      for (const event of events) whole.add(event)
      fc.assert(
        fc.property(fc.array(fc.nat(events.length), { maxLength: 4 }), (cuts) => {
          const storage = createStorage()
          let ledger = createLedger()
          for (const [at, event] of events.entries()) {
            if (cuts.includes(at)) {
              storage.save(ledger)
              ledger = createLedger({ from: storage.load() })
            }
            ledger.add(event)
          }
          expect(usageOf(ledger)).toEqual(usageOf(whole))
        }),
        { numRuns: 10 },
      )
    },
  )

  test('separates the cost of earlier processes', () => {
    const report = (costUsd: number, input: number) =>
      ({ type: 'session_update', reported: { costUsd, byModel: { m: { input } } } }) as const
    const [whole, first] = [createLedger(), createLedger()]
    for (const ledger of [whole, first]) {
      ledger.add(report(0.5, 10))
      ledger.nextProcess()
      ledger.add(report(0.25, 4))
      ledger.nextProcess()
    }
    const storage = createStorage()
    storage.save(first)
    const continued = createLedger({ from: storage.load() })
    for (const ledger of [whole, continued]) ledger.add(report(0.125, 2))
    expect(usageOf(continued)).toEqual(usageOf(whole))
    expect(continued.totals()).toMatchObject({ costUsd: 0.875, input: 16 })
  })

  test('saves only the rows that changed', () => {
    const ledger = createLedger()
    const addMessage = (messageId: string, output: number) =>
      ledger.add({
        type: 'message_end',
        messageId,
        message: { role: 'assistant', content: [], usage: { output } },
      })
    const keys = () => Array.from(ledger.save().rows, ([key]) => key)
    addMessage('a', 1)
    addMessage('b', 2)
    expect(keys()).toEqual(['a', 'b'])
    expect(keys()).toEqual([])
    addMessage('a', 3)
    expect(keys()).toEqual(['a'])
  })
})
