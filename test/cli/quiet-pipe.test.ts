import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, run } from '../support/sluice.ts'

const main = join(root, 'src/cli/main.js')

test('`sluice run … | head -1` ends without a word', async () => {
  const line = `'${process.execPath}' '${main}' run demo long --out events --sandbox off --cwd '${root}' | head -1`
  const { code, stdout, stderr } = await run('bash', ['-o', 'pipefail', '-c', line], {
    env: { ...process.env, SLUICE_DEMO_PACE: '20' },
  })
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^\{.*"session_start".*\}\n$/)
  expect(code).toBe(141) // as a program that SIGPIPE has ended
})
