import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, test } from 'vitest'

/** It grows with the API: loops, budgets and costs took 2 kB. */
const entry = new URL('../../src/client/index.ts', import.meta.url).pathname

test('the bundled client is at most 18 kB for a browser, minified and compressed', async () => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    // `lib` does not remove white space.
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: entry, preserveEntrySignatures: 'strict' },
    },
  })
  const chunks = [built].flat().flatMap((each) => ('output' in each ? each.output : []))
  const code = chunks.map((each) => (each.type === 'chunk' ? each.code : '')).join('\n')
  expect(code).toContain('last-event-id')
  expect(gzipSync(code).length).toBeLessThanOrEqual(18_000)
})
