import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMarkdownPainter } from '../../src/handler/markdown-painter.ts'
import type { Style } from '../../src/handler/style.ts'

const marks: Style = (name, text) => `<${name}>${text}</${name}>`

const paint = (pieces: readonly string[], style: Style = marks) => {
  let out = ''
  const painter = createMarkdownPainter(style, (text) => {
    out += text
  })
  for (const piece of pieces) painter.push(piece)
  painter.end()
  return out
}

test.each([
  ['# Title\ntext\n', '<bold># Title</bold>\ntext\n'],
  ['- one\n', '<yellow>- </yellow>one\n'],
  ['12. twelve\n', '<yellow>12. </yellow>twelve\n'],
  ['a `b` c\n', 'a <cyan>b</cyan> c\n'],
  ['a **b** c\n', 'a <bold>b</bold> c\n'],
  ['2 * 3 = 6\n', '2 * 3 = 6\n'],
  ['> said\n', '<dim>> said</dim>\n'],
  [
    '```ts\nconst a = 1\n```\nafter\n',
    '<dim>```ts</dim>\n<cyan>const a = 1</cyan>\n<dim>```</dim>\nafter\n',
  ],
  ['1999 was a year\n', '1999 was a year\n'],
  ['-5 degrees\n', '-5 degrees\n'],
])('%j', (source, painted) => {
  expect(paint([source])).toBe(painted)
})

test('the result does not depend on how the text is split', () => {
  const merge = (text: string) => text.replaceAll(/<\/(\w+)><\1>/g, '')
  const markdown = fc.array(
    fc.constantFrom('# ', '- ', '`', '**', '*', '\n', 'word ', '```', '> ', '1. ', '\n\n'),
  )
  fc.assert(
    fc.property(markdown, (parts) => {
      expect(merge(paint(parts.flatMap((part) => [...part])))).toBe(merge(paint([parts.join('')])))
    }),
  )
})

test('without colours, text keeps its Markdown', () => {
  const plain: Style = (_, text) => text
  const source = '# Title\n- item\n> quote\nJust text with 2 * 3.\n'
  expect(paint([source], plain)).toBe(source)
})
