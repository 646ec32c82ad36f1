import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { hasProc } from '../../src/process/process-table.ts'
import { root } from '../support/sluice.ts'
import { inputOf, openHookRig } from './hook-rig.ts'

const hook = join(root, 'src/agents/sluice-hook.js')

/** Reports through its hook, as an agent does, and then calls the server. */
const agent = `
const { spawnSync } = require('node:child_process')
const [, , hook, data, url, key, input] = process.argv
const call = async () => {
  const response = await fetch(url + '/api/v1/sessions', { headers: { authorization: 'Bearer ' + key } })
  return response.status
}
const run = async () => {
  const before = await call()
  const env = { ...process.env, CLAUDE_PID: String(process.pid) }
  spawnSync(process.execPath, [hook, 'claude', 'user', data], { env, input })
  console.log(JSON.stringify([before, await call()]))
}
run()
`

test.skipIf(!hasProc)('an agent whose hooks ask here may not use the server', async () => {
  const { server, data } = await openHookRig()
  const directory = mkdtempSync(join(tmpdir(), 'sluice-agent-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const statuses = async (name: string): Promise<unknown> => {
    const program = join(directory, name)
    writeFileSync(program, agent)
    const input = JSON.stringify(inputOf('Stop'))
    const args = [program, hook, data, server.url, server.key, input]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    return JSON.parse(await text(child.stdout))
  }
  // A process that only says that it is an agent is not taken for one: it might name the browser.
  expect(await statuses('browser')).toEqual([200, 200])
  expect(await statuses('claude')).toEqual([200, 403])
})
