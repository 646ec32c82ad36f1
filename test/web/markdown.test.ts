import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { type Lexed, lexGrown, lexWhole, nothingLexed } from '../../web/src/markdown/lex.ts'
import { Markdown } from '../../web/src/markdown/markdown.tsx'

const pieces = [
  'Some words',
  ' and *more* of them',
  '\n',
  '\n\n',
  '# A heading\n',
  '- a point\n',
  '  - inside\n',
  '1. first\n',
  '> said\n',
  '```ts\nconst a = 1\n',
  '```\n',
  '    indented\n',
  '| a | b |\n|---|---|\n',
  '| 1 | 2 |\n',
  '---\n',
  '===\n',
  '<b>html</b>\n',
  '<div>\n',
  '[a link](https://example.com)',
  '\t',
  '\r\n',
  '\\',
  '`',
  '**',
  'naïve 日本語 😀',
]

const shapeOf = ({ blocks }: Lexed) => blocks.map(({ type, raw }) => ({ type, raw }))

const show = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text, isStreaming: false }))

describe('blocks of a text that grows', () => {
  test('are those of the whole text, wherever it was cut', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (parts) => {
        let lexed = nothingLexed
        let text = ''
        for (const character of parts.join('')) {
          text += character
          lexed = lexGrown(lexed, text)
          expect(shapeOf(lexed)).toEqual(shapeOf(lexWhole(nothingLexed, text)))
        }
      }),
      { numRuns: 400 },
    )
  })

  test('stay the same objects once they are finished', () => {
    const before = lexGrown(nothingLexed, '# One\n\nSome words\n\nMore wo')
    const after = lexGrown(before, '# One\n\nSome words\n\nMore words')
    const [same, changed] = [after.blocks.slice(0, -1), after.blocks.at(-1)]
    expect(same.length).toBeGreaterThan(2)
    for (const [index, block] of same.entries()) expect(block).toBe(before.blocks[index])
    expect(changed).not.toBe(before.blocks.at(-1))
    expect(lexWhole(after, after.text).blocks.every((each, at) => each === after.blocks[at])).toBe(
      true,
    )
  })
})

describe('what is shown', () => {
  test('is never the HTML of the text', () => {
    const html = show('<img src=x onerror="alert(1)">\n\nand <script>alert(1)</script> inside')
    expect(html).not.toContain('<img')
    expect(html).not.toContain('<script')
    expect(html).toContain('&lt;script&gt;')
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '/api/v1/keys',
  ])('does not lead to %s', (href) => {
    expect(show(`[words](${href})`)).not.toContain('href')
    expect(show(`[words](${href})`)).toContain('words')
  })

  test('leads elsewhere without telling where from', () => {
    expect(show('[words](https://example.com)')).toContain(
      '<a href="https://example.com" target="_blank" rel="noopener noreferrer">words</a>',
    )
  })

  test('fetches no picture from elsewhere', () => {
    const html = show('![a cat](https://example.com/cat.png)')
    expect(html).not.toContain('<img')
    expect(html).toContain('href="https://example.com/cat.png"')
  })
})
