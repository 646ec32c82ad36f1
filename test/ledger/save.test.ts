import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLedger, type Ledger, type SavedLedger } from '../../src/ledger/ledger.ts'
import type { UsageRow } from '../../src/ledger/usage-rows.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'

const accountOf = (ledger: Ledger) => ({
  totals: ledger.totals(),
  byModel: ledger.byModel(),
  context: ledger.context(),
})

/** Keeps what is saved as a log does: as JSON, rows by their key. */
const createShelf = () => {
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

describe('an account that is saved and gone on with anywhere', () => {
  test.each(some.map((each) => [each.name, each] as const))(
    '%s: is the account that never was',
    (_, { agent, bytes }) => {
      const events = decodeChunks(agent, [bytes()])
      const whole = createLedger()
      for (const event of events) whole.add(event)
      fc.assert(
        fc.property(fc.array(fc.nat(events.length), { maxLength: 4 }), (cuts) => {
          const shelf = createShelf()
          let ledger = createLedger()
          for (const [at, event] of events.entries()) {
            if (cuts.includes(at)) {
              shelf.save(ledger)
              ledger = createLedger({ from: shelf.load() })
            }
            ledger.add(event)
          }
          expect(accountOf(ledger)).toEqual(accountOf(whole))
        }),
        { numRuns: 10 },
      )
    },
  )

  test('keeps apart what earlier processes had cost', () => {
    const report = (costUsd: number, input: number) =>
      ({ type: 'session_update', reported: { costUsd, byModel: { m: { input } } } }) as const
    const [whole, first] = [createLedger(), createLedger()]
    for (const ledger of [whole, first]) {
      ledger.add(report(0.5, 10))
      ledger.nextProcess()
      ledger.add(report(0.25, 4))
      ledger.nextProcess()
    }
    const shelf = createShelf()
    shelf.save(first)
    const again = createLedger({ from: shelf.load() })
    for (const ledger of [whole, again]) ledger.add(report(0.125, 2))
    expect(accountOf(again)).toEqual(accountOf(whole))
    expect(again.totals()).toMatchObject({ costUsd: 0.875, input: 16 })
  })

  test('only what has changed is saved again', () => {
    const ledger = createLedger()
    const say = (messageId: string, output: number) =>
      ledger.add({
        type: 'message_end',
        messageId,
        message: { role: 'assistant', content: [], usage: { output } },
      })
    const keys = () => Array.from(ledger.save().rows, ([key]) => key)
    say('a', 1)
    say('b', 2)
    expect(keys()).toEqual(['a', 'b'])
    expect(keys()).toEqual([])
    say('a', 3)
    expect(keys()).toEqual(['a'])
  })
})
