import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCleanStream } from '../../src/cli/clean-stream.ts'
import { cleanJson, cleanText } from '../../src/cli/clean-text.ts'
import { harmful } from '../support/hostile.ts'

const coloured = (text: string) => cleanText(text, { isColoured: true })
const plain = (text: string) => cleanText(text, { isColoured: false })

describe('a text for the terminal', () => {
  test.each([
    ['a title', 'a\x1b]0;owned\x07b', 'ab'],
    ['the clipboard', 'a\x1b]52;c;ZXZpbA==\x1b\\b', 'ab'],
    ['the clipboard, in C1', 'a\x9d52;c;ZXZpbA==\x9cb', 'ab'],
    ['a link', '\x1b]8;;http://evil\x1b\\label\x1b]8;;\x1b\\', 'label'],
    ['cursor moves', 'a\x1b[2J\x1b[1;1H\x1b[10Ab\x9b2Kc', 'abc'],
    ['modes and resets', 'a\x1bc\x1b(0\x1b[?1049h\x1b[?25lb', 'ab'],
    ['a device string', 'a\x1bPq#0\x1b\\b', 'ab'],
    ['hidden text', 'a\x1b[8mb\x1b[5mc\x1b[7md', 'abcd'],
    ['text in the colour of its background', '\x1b[30;40ma\x1b[37;47mb\x1b[97mc', 'abc'],
    ['colours by number', '\x1b[38;5;0;48;5;0ma\x1b[38;2;0;0;0mb\x1b[38:5:0mc', 'abc'],
    ['carriage returns', 'safe\rrm -rf\r\nend', 'safe\nrm -rf\nend'],
    ['backspaces', 'ab\b\bc', 'ab\\u0008\\u0008c'],
    ['the bell and NUL', 'a\x07\0', 'a\\u0007\\u0000'],
    ['direction', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['invisible characters', 'a\u200bb\ufeffc\u{e0041}', 'a\\u200bb\\ufeffc\\u{e0041}'],
    ['line separators', 'a\u2028b\u0085c', 'a\\u2028b\\u0085c'],
    ['an escape at the end', 'a\x1b', 'a\\u001b'],
    ['a sequence that never ends', 'a\x1b]0;question', 'a0;question'],
    ['half of a character', 'a\ud83d', 'a\\ud83d'],
  ])('loses %s', (_, text, expected) => {
    expect(coloured(text)).toBe(expected)
    expect(plain(text)).toBe(expected)
  })

  test('keeps ordinary text, emoji and scripts that need joiners', () => {
    const text = 'é 中文 👩‍💻 ❤️ 1️⃣ می‌خواهم क्‍ष\u00a0\n\tend'
    expect(plain(text)).toBe(text)
  })

  test('keeps a few colours, and switches them off at its end', () => {
    expect(coloured('\x1b[1;31;41mred\x1b[0m')).toBe('\x1b[1;31mred\x1b[0m')
    expect(coloured('\x1b[32mgreen\n')).toBe('\x1b[32mgreen\x1b[0m\n')
    expect(coloured('\x1b[2mdim\x1b[22m')).toBe('\x1b[2mdim\x1b[22m')
    expect(coloured('\x1b[31mred\x1b[1mbold\x1b[39m')).toBe('\x1b[31mred\x1b[1mbold\x1b[39m\x1b[0m')
    expect(plain('\x1b[32mgreen\x1b[0m')).toBe('green')
  })

  test('is never harmful, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const cleaned = coloured(text)
        expect(cleaned).not.toMatch(harmful)
        expect(coloured(cleaned)).toBe(cleaned)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a text in pieces', () => {
  test('a sequence that is cut is removed too', () => {
    const stream = createCleanStream(true)
    const pieces = ['a\x1b', '[8', 'mb\x1b]52;c;Z', 'Xk=\x1b', '\\c\r', '\nd\ud83d', '\ude00']
    expect(pieces.map(stream.push)).toEqual(['a', '', 'b', '', 'c', '\nd', '😀'])
  })

  test('an emoji that is cut at its joiner stays', () => {
    const stream = createCleanStream(false)
    expect(['👩', '\u200d', '💻'].map(stream.push).join('')).toBe('👩\u200d💻')
  })

  test('a sequence that never ends does not hold back the rest', () => {
    const stream = createCleanStream(false)
    stream.push('\x1b]0;')
    const shown = ['x'.repeat(3000), 'x'.repeat(3000), 'the end'].map(stream.push).join('')
    expect(shown).toContain('the end')
  })

  test('is as clean as the whole text', () => {
    fc.assert(
      fc.property(fc.array(hostileText), (pieces) => {
        const stream = createCleanStream(false)
        const shown = [...pieces, '\n'].map(stream.push).join('')
        expect(shown).not.toMatch(harmful)
        expect(shown).toBe(plain(`${pieces.join('')}\n`))
      }),
      { numRuns: 500 },
    )
  })
})

test('JSON keeps its value, and shows what a screen would hide', () => {
  const value = { a: '\x1b[8m\x9b\x7f\u202e\u2028\u200b\u{e0041}👩‍💻é\n' }
  const json = cleanJson(JSON.stringify(value))
  expect(JSON.parse(json)).toEqual(value)
  expect(json).not.toMatch(harmful)
  fc.assert(
    fc.property(hostileText, (text) => {
      const cleaned = cleanJson(JSON.stringify({ [text]: text }))
      expect(JSON.parse(cleaned)).toEqual({ [text]: text })
      expect(cleaned).not.toMatch(harmful)
    }),
  )
})

test('half a megabyte of openings takes little time', () => {
  for (const unit of ['\x1b]', '\x9d', '\x1b[', '\u200b']) {
    const start = performance.now()
    cleanText(unit.repeat(500_000 / unit.length), { isColoured: true })
    expect(performance.now() - start).toBeLessThan(10_000) // quadratic work takes minutes
  }
})

const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\x1b',
        '[',
        ']',
        '8m',
        '31m',
        '0;',
        '\x07',
        '\x1b\\',
        '\x9b',
        '\x9d',
        '\x9c',
      ),
      fc.constantFrom(
        '\x1b[8m',
        '\x1b[31m',
        '\x1b]52;c;',
        '\r',
        '\n',
        '\b',
        '\u202e',
        '\u200d',
        '👩',
      ),
    ),
  )
  .map((pieces) => pieces.join(''))
