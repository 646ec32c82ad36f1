import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataDirectory } from '../support/demo-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { root } from '../support/sluice.ts'

test('`sluice run` makes the agent wait while nobody reads its output', async () => {
  const directory = dataDirectory()
  const program = join(directory, 'agent')
  const written = join(directory, 'written')
  // Each round prints 100 kB and adds a line to a file.
  writeFileSync(
    program,
    `#!/bin/bash\nline=$(printf '{"type":"flood","text":"%01000d"}' 0)\nwhile :; do for i in {1..100}; do echo "$line"; done; echo >> '${written}'; done\n`,
    { mode: 0o755 },
  )
  const args = ['run', 'claude', 'go', '--out', 'events', '--sandbox', 'off', '--cwd', directory]
  const child = spawn(process.execPath, [join(root, 'src/cli/main.js'), ...args], {
    env: { ...process.env, CLAUDE_BIN: program },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const rounds = () => (existsSync(written) ? statSync(written).size : 0)
  let before = -1
  let since = Date.now()
  await eventually(() => {
    if (rounds() !== before) since = Date.now()
    before = rounds()
    expect(before, stderr).toBeGreaterThan(0)
    expect(Date.now() - since).toBeGreaterThan(1000)
  })
  expect(rounds()).toBeLessThan(200) // 20 MB
  // It goes on as soon as somebody reads.
  child.stdout.resume()
  await eventually(() => expect(rounds()).toBeGreaterThan(before))
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect(stderr).not.toContain('MaxListeners')
})
