import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/sluice.ts'

/** Writes that pass by the terminal, which cleans what it prints. */
const bareWrite = /\b(?:stdout|stderr|output)\.write\(|\bconsole\.\w+\(/

test('only the terminal, the line editor and the bar of a loop write to the screen', () => {
  const files = globSync('src/cli/**/*.{ts,js}', { cwd: root })
  expect(files.length).toBeGreaterThan(30)
  const writing = files.filter((file) => bareWrite.test(readFileSync(join(root, file), 'utf8')))
  expect(writing.sort()).toEqual([
    'src/cli/editor/ask-line.ts',
    'src/cli/editor/raw-input.ts',
    'src/cli/line-input.ts',
    'src/cli/loop/loop-view.ts',
    'src/cli/terminal.ts',
  ])
})
