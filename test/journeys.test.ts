import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url).pathname
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')

/** The files of a journey in ARCHITECTURE.md, in order. */
const filesUnder = (title: string): string[] => {
  const section = page.split('### ').find((each) => each.startsWith(title)) ?? ''
  const [table = ''] = section.split('\n## ')
  return [...table.matchAll(/`([\w/-]+)`/g)].map(([, file = '']) => file)
}

const isSource = (file: string): boolean =>
  ['.ts', '.tsx'].some((ending) =>
    existsSync(
      join(root, file.startsWith('web/') ? `web/src/${file.slice(4)}` : `src/${file}`) + ending,
    ),
  )

test.each([
  ['A byte of Claude Code', 45],
  ['A prompt over HTTP', 22],
])('%s… passes at most %i files, and all of them exist', (title, most) => {
  const files = filesUnder(title)
  expect(files.filter((file) => !isSource(file))).toEqual([])
  expect(new Set(files).size).toBe(files.length)
  expect(files.length).toBeGreaterThan(10)
  expect(files.length).toBeLessThanOrEqual(most)
  expect(page).toContain(`${files.length} files.`)
})
