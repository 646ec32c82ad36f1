import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  collapseBlanks,
  originalOfRevealed,
  originalText,
  revealedString,
  revealText,
} from '../../src/shared/revealed-text.ts'

const marked = (text: string) => revealText(text).parts.filter(({ kind }) => kind !== 'plain')
const hidden = (text: string) => ({ text, kind: 'hidden' })
const lookalike = (text: string) => ({ text, kind: 'lookalike' })

describe('hidden characters', () => {
  test.each([
    ['a\x1b[8mb', '\\u001b'],
    ['a\rb', '\\u000d'],
    ['a\x9bb', '\\u009b'],
    ['a\x7fb', '\\u007f'],
    ['a\u202eb', '\\u202e'],
    ['a\u2066b', '\\u2066'],
    ['a\u061cb', '\\u061c'],
    ['a\u200bb', '\\u200b'],
    ['a\u200db', '\\u200d'],
    ['a\u2060b', '\\u2060'],
    ['a\ufeffb', '\\ufeff'],
    ['a\u00adb', '\\u00ad'],
    ['a\u034fb', '\\u034f'],
    ['a\u115fb', '\\u115f'],
    ['a\u17b4b', '\\u17b4'],
    ['a\u180eb', '\\u180e'],
    ['a\u2028b', '\\u2028'],
    ['a\u0085b', '\\u0085'],
    ['a\u3164b', '\\u3164'],
    ['a\uffa0b', '\\uffa0'],
    ['a\ufff9b', '\\ufff9'],
    ['a\ufe0fb', '\\ufe0f'],
    ['a\u{e0041}b', '\\u{e0041}'],
    ['a\u00a0b', '\\u00a0'],
    ['a\u2003b', '\\u2003'],
    ['a\u3000b', '\\u3000'],
    ['a\u2800b', '\\u2800'],
    ['a\ud800b', '\\ud800'],
    ['a\ue000b', '\\ue000'],
    ['a\u0378b', '\\u0378'],
    ['a \u0301b', '\\u0301'],
    ['\u200b\u200c', '\\u200b\\u200c'],
  ])('%j', (text, code) => {
    expect(marked(text)).toEqual([hidden(code)])
    expect(revealText(text).warnings).toHaveLength(1)
  })

  test('marks that pile up on one letter', () => {
    expect(marked(`a${'\u0301'.repeat(6)}`)).toEqual([hidden('\\u0301\\u0301')])
  })
})

describe('lookalikes', () => {
  test.each([
    ['p\u0430ypal', 'p\u0430ypal'], // Cyrillic a
    ['g\u03bfogle', 'g\u03bfogle'], // Greek o
    ['\u13a2nit', '\u13a2nit'], // Cherokee
    ['\uff52\uff4d -rf', '\uff52\uff4d'],
    ['\u{1d42b}\u{1d426} -rf', '\u{1d42b}\u{1d426}'],
    ['\u0441\u043e\u0440\u0443 x', '\u0441\u043e\u0440\u0443'], // Cyrillic only
    ['cat /\u0430', '\u0430'],
    ['\u0261it', '\u0261it'],
    ['rm \u2212rf', '\u2212'],
    ['cat \u2215etc', '\u2215'],
    ['echo \u05d0\u05d1', '\u05d0\u05d1'],
  ])('%s', (text, part) => {
    expect(marked(text)).toEqual([lookalike(part)])
    expect(revealText(text).warnings).toHaveLength(1)
  })
})

test.each([
  'npm test\n\tgit diff -- "a b" \\u202e',
  'Привет, как дела? кто там',
  'café naïve Straße',
  'Tシャツ 한국어 中文，好（的）',
  'हिन्दी ไทย',
  '👩‍💻 ❤️ 1️⃣ 👍🏽 🇩🇪',
  '“quotes” – … → ✓ ™',
])('ordinary text stays as it is: %s', (text) => {
  expect(revealText(text)).toEqual({ parts: [{ text, kind: 'plain' }], warnings: [] })
})

test('an empty text has no parts', () => {
  expect(revealText('')).toEqual({ parts: [], warnings: [] })
})

const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\\', '\\u202e', '\\u{e0041}', '\\\\u202e', '\u202e', '\u200b', '\ud800'),
  fc.constantFrom('\udc00', '\u{e0041}', 'а', 'a', '\n', ' ', 'u202e', '👩‍💻', '\u0301'),
)
const anyText = fc.array(piece).map((pieces) => pieces.join(''))

test('the parts and their plain form lead back to the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { parts } = revealText(text)
      expect(originalText(parts)).toBe(text)
      expect(originalOfRevealed(revealedString(parts))).toBe(text)
    }),
    { numRuns: 2000 },
  )
})

test('what is drawn holds no character that hides or reorders', () => {
  const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u00a0\u3164\u2800]/u
  const isEmojiJoiner = (text: string) => text.replaceAll(/(?<=\p{ExtPict}.?)\u200d/gu, '')
  fc.assert(
    fc.property(anyText, (text) => {
      const drawn = revealedString(revealText(text).parts).replaceAll(/[\n\t]/g, '')
      expect(isEmojiJoiner(drawn)).not.toMatch(invisible)
    }),
    { numRuns: 2000 },
  )
})

test('an escape that the text contains differs from a hidden character', () => {
  const typed = revealText('echo \\u202e').parts
  const real = revealText('echo \u202e').parts
  expect(revealedString(typed)).toBe('echo \\\\u202e')
  expect(revealedString(real)).toBe('echo \\u202e')
})

test('long gaps are summarised', () => {
  const { parts } = revealText(`ls${'\n'.repeat(201)}rm x${' '.repeat(2000)}y\n\nz`)
  expect(collapseBlanks(parts)).toEqual([
    { text: 'ls\n', kind: 'plain' },
    { text: '[200 empty lines]', kind: 'blank' },
    { text: '\n', kind: 'plain' },
    { text: 'rm x', kind: 'plain' },
    { text: '[2000 blanks]', kind: 'blank' },
    { text: 'y\n\nz', kind: 'plain' },
  ])
})

test.each([
  ['hidden', '\u200b'],
  ['alternating', 'a\u200b'],
  ['mixed', 'а0a'],
  ['emoji', '👩‍💻'],
  ['backslashes', '\\'],
  ['escapes', '\\u202e'],
  ['blank lines', '  \n'],
  ['marks', '\u0301'],
])('a megabyte takes little time: %s', (_, unit) => {
  const text = `${unit.repeat(1_000_000 / unit.length)}\u200b`
  const start = performance.now()
  const { parts } = revealText(text)
  revealedString(parts)
  collapseBlanks(parts)
  expect(performance.now() - start).toBeLessThan(10_000) // quadratic work takes minutes
})
