import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataDirectory } from '../support/demo-sessions.ts'
import { run } from '../support/sluice.ts'

/** Prints each module that is loaded. */
const hook = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => (process.stderr.write(url + '\\n'), next(url, context)) })
`

/** The sources that a command loads, below src/. */
const loadedBy = async (...args: string[]): Promise<string[]> => {
  const file = join(dataDirectory(), 'hook.mjs')
  writeFileSync(file, hook)
  const { stderr } = await run(process.execPath, ['--import', file, 'src/cli/main.js', ...args])
  return [...stderr.matchAll(/\/src\/(\S+)/g)].map(([, path = '']) => path)
}

// Each verb loads its work when it runs, so help does not become slower with every verb. What costs
// time is listed here by room; the figures are in docs/benchmarks.md.
test.each([[['chat', '--help']], [['__complete', '--', 'ru']]])(
  '%j loads no work of a verb',
  async (args) => {
    const loaded = await loadedBy(...args)
    expect(loaded).toContain('cli/program.ts')
    const rooms = [
      'handler',
      'http',
      'session',
      'sluice',
      'streams',
      'client',
      'ledger',
      'prices',
      'loop',
    ]
    expect(loaded.filter((path) => rooms.includes(path.split('/')[0] ?? ''))).toEqual([])
    expect(loaded.filter((path) => /^log\/(?!log-fault)/.test(path))).toEqual([])
    expect(loaded.length).toBeLessThan(60)
  },
)
