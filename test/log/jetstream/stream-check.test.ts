import { expect, test } from 'vitest'
import { createStreamCheck } from '../../../src/log/jetstream/stream-check.ts'

const there = new Map([['events', { created: 'monday', lastSeq: 5 }]])
const gone = new Map([['events', undefined]])

test('a stream that is missing three times in a row is reported until it is back', () => {
  const { compare } = createStreamCheck()
  expect(compare(there).state).toBe('ok')
  // A leader that has just been elected may not know it yet.
  expect([compare(gone), compare(gone)].map(({ state }) => state)).toEqual(['ok', 'ok'])
  const { state, reason } = compare(gone)
  expect(state).toBe('unwritable')
  expect(reason).toContain('events')
  expect(compare(there).state).toBe('ok')
  expect(compare(gone).state).toBe('ok')
})

test('a stream that never was there is not missed', () => {
  const { compare } = createStreamCheck()
  expect([compare(gone), compare(gone), compare(gone)].map(({ state }) => state)).toEqual([
    'ok',
    'ok',
    'ok',
  ])
  expect(compare(there).state).toBe('ok')
})

test('another stream of the same name ends the log for good', () => {
  const { compare } = createStreamCheck()
  compare(there)
  const { state, reason } = compare(new Map([['events', { created: 'tuesday', lastSeq: 9 }]]))
  expect(state).toBe('failed')
  expect(reason).toContain('Start the node again.')
  expect(compare(there).state).toBe('failed')
})

test('a stream that comes back from an older backup ends the log, too', () => {
  const older = new Map([['events', { created: 'monday', lastSeq: 4 }]])
  const { compare } = createStreamCheck()
  compare(there)
  // The answer of a server that is behind.
  expect(compare(older).state).toBe('ok')
  compare(there)
  compare(gone)
  expect(compare(older).state).toBe('failed')
})

test('a sealed stream is reported', () => {
  const { compare } = createStreamCheck()
  const sealed = new Map([['events', { created: 'monday', lastSeq: 5, isSealed: true }]])
  expect(compare(sealed)).toMatchObject({ state: 'unwritable' })
  expect(compare(there).state).toBe('ok')
})
