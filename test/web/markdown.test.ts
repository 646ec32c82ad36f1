import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { emptyLexed, type Lexed, lexAll, lexAppended } from '../../web/src/markdown/lex.ts'
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
  '[the docs][r]',
  '[r]: https://example.com\n',
  '> [r]: https://example.org\n',
]

const shapeOf = ({ blocks }: Lexed) =>
  blocks.map((block) => ({ type: block.type, raw: block.raw, links: hrefsIn(block) }))

const hrefsIn = (block: Lexed['blocks'][number]): string[] =>
  JSON.stringify(block).match(/"href":"[^"]*"/g) ?? []

const linksIn = ({ blocks }: Lexed): string[] => blocks.flatMap(hrefsIn)

/** The blocks of a text that comes letter by letter. */
const grown = (text: string): Lexed =>
  Array.from(text).reduce((lexed, letter) => lexAppended(lexed, lexed.text + letter), emptyLexed)

const show = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text, isStreaming: false }))

describe('blocks of a text that grows', () => {
  test('are those of the whole text, wherever it was cut', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (parts) => {
        let lexed = emptyLexed
        let text = ''
        for (const character of parts.join('')) {
          text += character
          lexed = lexAppended(lexed, text)
          expect(shapeOf(lexed)).toEqual(shapeOf(lexAll(emptyLexed, text)))
        }
      }),
      { numRuns: 400 },
    )
  })

  test('stay the same objects once they are finished', () => {
    const before = lexAppended(emptyLexed, '# One\n\nSome words\n\nMore wo')
    const after = lexAppended(before, '# One\n\nSome words\n\nMore words')
    const [same, changed] = [after.blocks.slice(0, -1), after.blocks.at(-1)]
    expect(same.length).toBeGreaterThan(2)
    for (const [index, block] of same.entries()) expect(block).toBe(before.blocks[index])
    expect(changed).not.toBe(before.blocks.at(-1))
    expect(lexAll(after, after.text).blocks.every((each, at) => each === after.blocks[at])).toBe(
      true,
    )
  })
})

describe('a link by name', () => {
  test('gets the address that comes after it', () => {
    const text = 'See [the docs][r] first.\n\nMore words.\n\n[r]: https://example.com'
    const whole = lexAll(emptyLexed, text)
    expect(linksIn(whole)).toContain('"href":"https://example.com"')
    expect(linksIn(grown(text))).toEqual(linksIn(whole))
    expect(linksIn(lexAll(grown(text), text))).toEqual(linksIn(whole))
  })

  test('gets the address that was long before it', () => {
    const text = '> [r]: https://example.com\n\nSome words.\n\nSee [the docs][r].'
    expect(linksIn(grown(text))).toEqual(linksIn(lexAll(emptyLexed, text)))
  })

  test('leaves the blocks that are finished the same objects once it is known', () => {
    const before = grown('[r]: https://example.com\n\nSee [the docs][r].\n\nMore wo')
    const after = lexAppended(before, `${before.text}rds`)
    expect(after.blocks[2]).toBe(before.blocks[2])
    expect(after.blocks[2]?.type).toBe('paragraph')
  })
})

describe('entities', () => {
  test.each([
    ['a &lt;b&gt; &amp; c', 'a &lt;b&gt; &amp; c'],
    ['1&nbsp;kg &mdash; 2&hellip;', '1\u00a0kg — 2…'],
    ['&#8364; &#x20AC; &#X20ac;', '€ € €'],
    ['&#0; &#xD800; &#x110000; &#9999999;', '\ufffd \ufffd \ufffd \ufffd'],
    ['&nothing; &toString; &amp &; AT&T', '&amp;nothing; &amp;toString; &amp;amp &amp;; AT&amp;T'],
    ['\\&lt; &amp;lt; &#38;lt;', '&amp;lt; &amp;lt; &amp;lt;'],
    ['AT&T &#169; &copy;', 'AT&amp;T © ©'],
    ['&lt;script&gt;alert(1)&lt;/script&gt;', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ])('of %j are the characters that they stand for', (text, html) => {
    expect(show(text)).toBe(`<div class="markdown"><p>${html}</p></div>`)
  })

  test('are decoded in lists, tables, headings and names of pictures', () => {
    const html = show(
      '# a &copy;\n\n- b &copy;\n\n| c &copy; |\n|---|\n\n![d &copy;](https://example.com)',
    )
    for (const letter of 'abcd') expect(html).toContain(`${letter} ©`)
  })

  test('stay as they are in code', () => {
    expect(show('`&lt;`')).toContain('&amp;lt;')
    expect(show('```\n&lt;\n```')).toContain('&amp;lt;')
    expect(show('so <code>&lt;</code>')).toContain('&amp;lt;')
  })

  test('in an address lead where they say', () => {
    expect(show('[words](https://example.com/?a=1&amp;b=2)')).toContain('?a=1&amp;b=2"')
    expect(show('[words](https://example.com/?a=1&#x26;b=2)')).toContain('?a=1&amp;b=2"')
    expect(show('https://example.com/?a=1&amp;b=2')).toContain('>https://example.com/?a=1&amp;b=2<')
    expect(show('![&#169; &#xA9;](https://example.com)')).toContain('>© ©<')
  })
})

describe('a text from right to left', () => {
  test('decides on which side its list, quote or table begins, but its code does not', () => {
    expect(show('- `npm` שלום')).toContain('<ul dir="auto"><li><code dir="ltr">npm</code> שלום')
    expect(show('1. שלום\n\n2. עולם')).toContain('<ol dir="auto" start="1"><li><p>שלום')
    expect(show('> שלום')).toContain('<blockquote dir="auto"><p>')
    expect(show('| שלום |\n|---|')).toContain('<table dir="auto">')
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
    '&#106;avascript:alert(1)',
    'javascript&colon;alert(1)',
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
