import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const page = readFileSync(new URL('docs/spec.md', root), 'utf8')

interface Row {
  promise: string
  kept: string
  how: string
  file: string
  name: string
}

/** The cells of a row; a bar inside a cell is escaped. */
const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const lines = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| promise '))
const rows = lines.map((line): Row => {
  const [promise = '', kept = '', how = '', shown = ''] = cellsOf(line)
  const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(shown) ?? []
  return { promise, kept, how, file, name }
})

describe('docs/spec.md', () => {
  test('has a section for each of the five documents, and counts its promises', () => {
    expect(page.match(/^## /gm)).toHaveLength(5)
    const different = rows.filter(({ kept }) => kept === 'differently').length
    expect(page).toContain(
      `${rows.length} promises: ${rows.length - different} are kept, ${different} are kept differently.`,
    )
    expect(rows.length).toBeGreaterThan(140)
    expect(new Set(rows.map(({ promise }) => promise)).size).toBe(rows.length)
  })

  test.each(rows)('$promise', ({ promise, kept, how, file, name }) => {
    expect(promise).toMatch(/\.$/)
    expect(['yes', 'differently']).toContain(kept)
    // What is kept differently has its reason.
    expect(how).toMatch(kept === 'differently' ? /^[^–].+\.$/s : /^–$|\.$/)
    expect(existsSync(new URL(file, root)), file).toBe(true)
    const quoted = ["'", '`', '"'].map((mark) => `${mark}${name}${mark}`)
    const source = readFileSync(new URL(file, root), 'utf8')
    expect(
      quoted.some((each) => source.includes(each)),
      `${file} has no test “${name}”`,
    ).toBe(true)
  })
})
