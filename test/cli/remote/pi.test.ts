import { afterEach, beforeEach, expect, test } from 'vitest'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { sluice } from '../../support/sluice.ts'

let directories: ServerDirectories
let server: ServerProcess
let model: Awaited<ReturnType<typeof startModel>>
let setup: ReturnType<typeof piSetup>

beforeEach(async () => {
  directories = createServerDirectories()
  model = await startModel()
  setup = piSetup('0.87', model.url)
  const env = { ...setup.env, PI_BIN: agentProgram(setup) }
  server = await startServerProcess(directories, { env })
})
afterEach(async () => {
  await server.stop()
  setup.remove()
  await model.close()
  directories.remove()
})

test('a real Pi runs on the server, and the next prompt continues its conversation', async () => {
  const run = (prompt: string, ...args: string[]) =>
    sluice(
      ['run', 'pi', prompt, '--model', 'fake/fake-sonnet', '--data', directories.data, ...args],
      { cwd: directories.projects },
    )
  const first = await run('scenario:tool please', '--approve', 'allow')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(/› scenario:tool please.*● bash.*It ran\..*Cost \$/s)
  const second = await run('scenario:text again', '--continue', '--out', 'text')
  expect(second).toEqual({ code: 0, stderr: '', stdout: 'Hello from the model.\n' })
  expect(JSON.stringify(model.requests.at(-1))).toContain('scenario:tool please')
  expect((await server.client.sessions.list()).sessions).toHaveLength(1)
})
