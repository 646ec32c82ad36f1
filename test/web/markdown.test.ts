import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { emptyLexed, type Lexed, lexAll, lexAppended } from '../../web/src/markdown/lex.ts'
import { Markdown } from '../../web/src/markdown/markdown.tsx'
import { pathologicalTexts } from './support/hostile.ts'

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

/** Lexes a text that arrives character by character. */
const lexGradually = (text: string): Lexed =>
  Array.from(text).reduce((lexed, letter) => lexAppended(lexed, lexed.text + letter), emptyLexed)

const render = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text, isStreaming: false }))

describe('blocks of a growing text', () => {
  test('are those of the whole text, wherever it is cut', () => {
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

  test('stay the same objects once they are complete', () => {
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

describe('a reference link', () => {
  test('finds a definition after it', () => {
    const text = 'See [the docs][r] first.\n\nMore words.\n\n[r]: https://example.com'
    const whole = lexAll(emptyLexed, text)
    expect(linksIn(whole)).toContain('"href":"https://example.com"')
    expect(linksIn(lexGradually(text))).toEqual(linksIn(whole))
    expect(linksIn(lexAll(lexGradually(text), text))).toEqual(linksIn(whole))
  })

  test('finds a definition far before it', () => {
    const text = '> [r]: https://example.com\n\nSome words.\n\nSee [the docs][r].'
    expect(linksIn(lexGradually(text))).toEqual(linksIn(lexAll(emptyLexed, text)))
  })

  test('with a definition before it leaves complete blocks the same objects', () => {
    const before = lexGradually('[r]: https://example.com\n\nSee [the docs][r].\n\nMore wo')
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
  ])('in %j are decoded', (text, html) => {
    expect(render(text)).toBe(`<div class="markdown"><p>${html}</p></div>`)
  })

  test('are decoded in lists, tables, headings and image names', () => {
    const html = render(
      '# a &copy;\n\n- b &copy;\n\n| c &copy; |\n|---|\n\n![d &copy;](https://example.com)',
    )
    for (const letter of 'abcd') expect(html).toContain(`${letter} ©`)
  })

  test('are not decoded in code', () => {
    expect(render('`&lt;`')).toContain('&amp;lt;')
    expect(render('```\n&lt;\n```')).toContain('&amp;lt;')
    expect(render('so <code>&lt;</code>')).toContain('&amp;lt;')
  })

  test('in an address are decoded', () => {
    expect(render('[words](https://example.com/?a=1&amp;b=2)')).toContain('?a=1&amp;b=2"')
    expect(render('[words](https://example.com/?a=1&#x26;b=2)')).toContain('?a=1&amp;b=2"')
    expect(render('https://example.com/?a=1&amp;b=2')).toContain(
      '>https://example.com/?a=1&amp;b=2<',
    )
    expect(render('![&#169; &#xA9;](https://example.com)')).toContain('>© ©<')
  })
})

describe('right-to-left text', () => {
  test('sets the direction of its list, quote or table, but not of its code', () => {
    expect(render('- `npm` שלום')).toContain('<ul dir="auto"><li><code dir="ltr">npm</code> שלום')
    expect(render('1. שלום\n\n2. עולם')).toContain('<ol dir="auto" start="1"><li><p>שלום')
    expect(render('> שלום')).toContain('<blockquote dir="auto"><p>')
    expect(render('| שלום |\n|---|')).toContain('<table dir="auto">')
  })
})

describe('the rendered text', () => {
  test('never contains HTML of the source', () => {
    const html = render('<img src=x onerror="alert(1)">\n\nand <script>alert(1)</script> inside')
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
  ])('does not link to %s', (href) => {
    expect(render(`[words](${href})`)).not.toContain('href')
    expect(render(`[words](${href})`)).toContain('words')
  })

  test('links to other sites without a referrer', () => {
    expect(render('[words](https://example.com)')).toContain(
      '<a href="https://example.com" target="_blank" rel="noopener noreferrer">words</a>',
    )
  })

  test('loads no image from another site', () => {
    const html = render('![a cat](https://example.com/cat.png)')
    expect(html).not.toContain('<img')
    expect(html).toContain('href="https://example.com/cat.png"')
  })
})

describe('limits', () => {
  /** Without them, some of these texts took minutes. */
  const longestMs = 5000

  test.each(pathologicalTexts(20_000).map((text) => [text.slice(0, 12), text] as const))(
    'a text of many %j is shown in time, with all its characters',
    (_, text) => {
      const startedAt = performance.now()
      const { blocks } = lexAll(emptyLexed, text)
      expect(performance.now() - startedAt).toBeLessThan(longestMs)
      expect(blocks.reduce((length, { raw }) => length + raw.length, 0)).toBe(text.length)
    },
  )

  test('a random part, repeated, is shown in time', () => {
    const marks = '*_[]()`~>|<&!#-+=:"\\\n\t a1@'
    const part = fc.string({ unit: fc.constantFrom(...marks), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        part,
        fc.string({ unit: fc.constantFrom(...marks), maxLength: 3 }),
        (each, end) => {
          const text = each.repeat(Math.floor(30_000 / each.length)) + end
          const startedAt = performance.now()
          lexAll(emptyLexed, text)
          expect(performance.now() - startedAt).toBeLessThan(longestMs)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('a part that exceeds a limit is shown as it is, and the rest with its format', () => {
    const hostile = '_a*'.repeat(20_000)
    const html = render(`**bold**\n\n${hostile}&amp;\n\nplain`)
    expect(html).toContain('<strong>bold</strong>')
    expect(html).toContain(`${hostile}&amp;amp;`)
    expect(html).toContain('A part of this message is shown as text')
    expect(render('**bold**')).not.toContain('shown as text')
  })

  test('quotes and lists may be 32 levels deep inside another', () => {
    const html = render('>'.repeat(3000))
    expect(html.match(/<blockquote/g)).toHaveLength(33)
    expect(html).toContain('A part of this message is shown as text')
    const levels = (count: number) =>
      Array.from({ length: count }, (_, level) => `${' '.repeat(level * 2)}- a\n`).join('')
    expect(render(levels(20))).not.toContain('shown as text')
    expect(render(levels(60))).toContain('shown as text')
  })

  test('a long text that still grows is not read again for each of its pieces', () => {
    const pieces = Array.from({ length: 4000 }, (_, index) => `\tword ${index} and more of it\n`)
    let whole = ''
    let read = 0
    let lexed = emptyLexed
    for (const each of pieces) {
      whole += each
      const next = lexAppended(lexed, whole)
      if (next.text !== lexed.text && whole.length > 20_000) read += 1
      lexed = next
      expect(lexed.text + lexed.tail).toBe(whole)
    }
    expect(read).toBeGreaterThan(2)
    expect(read).toBeLessThan(20)
  })
})
