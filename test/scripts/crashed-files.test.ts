import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { crashedFilesIn } from '../../scripts/crashed-files.ts'

const root = join(import.meta.dirname, '../..')
/** Inside the project, so that the files find Vitest; not part of it. */
const cache = join(root, '.cache')
const directories: string[] = []

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

/** Runs test files with Vitest, as `npm test` does, and returns what it printed. */
const outputOf = (files: Record<string, string>): string => {
  mkdirSync(cache, { recursive: true })
  const directory = mkdtempSync(join(cache, 'crash-'))
  directories.push(directory)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  writeFileSync(join(directory, 'vitest.config.ts'), "export default { test: { pool: 'forks' } }\n")
  const vitest = join(root, 'node_modules/.bin/vitest')
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--root', directory, '--reporter=dot'],
    { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  )
  return stdout + stderr
}

const crashing =
  "import { test } from 'vitest'\ntest('dies', () => process.kill(process.pid, 'SIGTRAP'))\n"
const passing = "import { test } from 'vitest'\ntest('works', () => {})\n"
const failing = "import { test } from 'vitest'\ntest('fails', () => { throw new Error('no') })\n"

describe('test files that crashed', () => {
  test('are found by name when the rest of the run passed', () => {
    const output = outputOf({ 'a.test.ts': crashing, 'b.test.ts': passing })
    expect(crashedFilesIn(output)).toEqual([
      { file: expect.stringMatching(/a\.test\.ts$/), signal: 'SIGTRAP' },
    ])
  })

  test('are not tried again when a test failed, too', () => {
    expect(crashedFilesIn(outputOf({ 'a.test.ts': crashing, 'b.test.ts': failing }))).toEqual([])
  })

  test('are none when all tests pass', () => {
    expect(crashedFilesIn(outputOf({ 'b.test.ts': passing }))).toEqual([])
  })
})
