import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { titleOf } from '../../../src/session/registry/title.ts'

describe('the title of a session', () => {
  test.each([
    ['is the prompt', 'Fix the login', 'Fix the login'],
    ['is its first line', 'Fix the login\nIt fails since Monday.', 'Fix the login'],
    ['ends at a line end of any kind', 'Fix\r\nthe', 'Fix'],
    ['ends at a line end of Unicode', 'Fix\u2028the', 'Fix'],
    ['skips lines without visible text', '\n \t\n\u200b\n  Fix it\n', 'Fix it'],
    ['has single spaces', '  Fix \t the\u00a0\u3000login  ', 'Fix the login'],
    ['includes a slash command', '/review src --deep', '/review src --deep'],
    ['has no control characters', 'Fix \u001b[31m\u0007the\u0085login', 'Fix [31m the login'],
    ['may be a single emoji', '👩‍🌾', '👩‍🌾'],
  ])('%s', (_, prompt, title) => expect(titleOf(prompt)).toBe(title))

  test.each(['', ' ', '\n\t \r\n', '\u200b', '\u0000'])(
    'is undefined without visible text: %j',
    (prompt) => expect(titleOf(prompt)).toBeUndefined(),
  )

  test('is cut after a word', () => {
    expect(titleOf('word '.repeat(16))).toBe('word '.repeat(16).trim()) // 79 characters
    expect(titleOf(`${'word '.repeat(15)}words`)).toHaveLength(80)
    expect(titleOf('word '.repeat(17))).toBe(`${'word '.repeat(16).trim()}…`)
    expect(titleOf(`${'word '.repeat(15)}longer words`)).toBe(`${'word '.repeat(15).trim()}…`)
  })

  test('is cut inside of a very long word', () => {
    expect(titleOf('x'.repeat(1_000_000))).toBe(`${'x'.repeat(79)}…`)
    expect(titleOf(`see ${'x'.repeat(100)}`)).toBe(`see ${'x'.repeat(75)}…`)
  })

  test('is never cut inside of a character', () => {
    expect(titleOf('🌹'.repeat(80))).toBe('🌹'.repeat(80))
    expect(titleOf('🌹'.repeat(81))).toBe(`${'🌹'.repeat(79)}…`)
  })

  test('is short, one line and trimmed for any prompt, and is its own title', () => {
    const part = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(' ', '\n', '🌹', 'word'))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const title = titleOf(parts.join(''))
        if (title === undefined) return
        expect(Array.from(title).length).toBeLessThanOrEqual(80)
        expect(title).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]|\s\s|^\s|\s$|\s…$/u)
        expect(titleOf(title)).toBe(title)
      }),
    )
  })
})
