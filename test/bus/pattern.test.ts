import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adapters } from '../../src/bus/adapters.ts'
import { matches, subjectsFor } from '../../src/bus/pattern.ts'
import { definitions } from '../../src/bus/subjects/table.ts'

const word: fc.Arbitrary<string> = fc.constantFrom('adapter:piSdk', 'a', 'b', 'turn', 'text_delta')
const tokens = fc.array(word, { minLength: 1, maxLength: 4 })
const wanted = fc
  .tuple(fc.array(fc.oneof(word, fc.constant('*')), { maxLength: 4 }), fc.boolean())
  .map(([list, isOpen]) => (isOpen || list.length === 0 ? [...list, '>'] : list))

/** The rules of patterns, one token at a time. */
const matchesByRule = ([first, ...pattern]: string[], [token, ...subject]: string[]): boolean => {
  if (first === undefined || token === undefined) return first === token
  if (first === '>') return true
  return (first === '*' || first === token) && matchesByRule(pattern, subject)
}

describe('patterns', () => {
  test('follow the rules', () => {
    fc.assert(
      fc.property(wanted, tokens, (pattern, subject) => {
        expect(matches(pattern.join('.'), subject.join('.'))).toBe(matchesByRule(pattern, subject))
      }),
      { numRuns: 2000 },
    )
  })

  test('a subject matches only itself', () => {
    fc.assert(
      fc.property(tokens, tokens, (one, other) => {
        const [left, right] = [one.join('.'), other.join('.')]
        expect(matches(left, left)).toBe(true)
        expect(matches(left, right)).toBe(left === right)
      }),
    )
  })

  test('`*` matches any token, and `>` any rest', () => {
    fc.assert(
      fc.property(tokens, fc.nat(), (subject, index) => {
        const at = index % subject.length
        expect(matches(subject.with(at, '*').join('.'), subject.join('.'))).toBe(true)
        expect(matches([...subject.slice(0, at), '>'].join('.'), subject.join('.'))).toBe(true)
        expect(matches([...subject, '>'].join('.'), subject.join('.'))).toBe(false)
      }),
    )
  })

  test('a namespace is one token', () => {
    expect(matches('*.text_delta', 'adapter:piSdk.text_delta')).toBe(true)
    expect(matches('adapter:*.text_delta', 'adapter:piSdk.text_delta')).toBe(false)
  })

  test('match the event subjects of the table', () => {
    const events = [...definitions].filter(([, { kind }]) => kind === 'event')
    expect(subjectsFor('>')).toEqual(events.map(([subject]) => subject))
    expect(subjectsFor('session.*')).toHaveLength(4)
    expect(subjectsFor('*.turn.>')).toHaveLength(5 * Object.keys(adapters).length)
  })

  test.each(['', '.', 'a..b', '>.a', 'a.>.b', 'te*', 'a b', 'a.>b'])(
    '%j is not a pattern',
    (pattern) => {
      expect(() => subjectsFor(pattern)).toThrow(/is not a valid pattern/)
    },
  )
})
