import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeSetup } from '../../agents/claude.ts'
import { piSetup } from '../../agents/pi.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { sluice } from '../../support/sluice.ts'

const { setup: claude, ...absent } = claudeSetup('http://127.0.0.1')
claude?.remove()
if ('reason' in absent) console.log(`skipped: Claude Code on a server: ${absent.reason}`)

let directories: ServerDirectories
let server: ServerProcess | undefined
let setup: AgentSetup | undefined
let model: Awaited<ReturnType<typeof startModel>>

beforeEach(async () => {
  directories = createServerDirectories()
  model = await startModel()
})
afterEach(async () => {
  await server?.stop()
  setup?.remove()
  await model.close()
  directories.remove()
})

const sluiceHere = (args: readonly string[], input = '') =>
  sluice([...args, '--data', directories.data], { cwd: directories.projects, input })

test('a real Pi runs on the server, and the next prompt continues its conversation', async () => {
  setup = piSetup('0.87', model.url)
  const env = { ...setup.env, PI_BIN: agentProgram(setup) }
  server = await startServerProcess(directories, { env })
  const run = (prompt: string, ...args: string[]) =>
    sluiceHere(['run', 'pi', prompt, '--model', 'fake/fake-sonnet', ...args])
  const first = await run('scenario:tool please', '--approve', 'allow')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(/› scenario:tool please.*● bash.*It ran\..*Cost \$/s)
  const second = await run('scenario:text again', '--continue', '--out', 'text')
  expect(second).toEqual({ code: 0, stderr: '', stdout: 'Hello from the model.\n' })
  expect(JSON.stringify(model.requests.at(-1))).toContain('scenario:tool please')
  expect((await server.client.sessions.list()).sessions).toHaveLength(1)
})

describe.skipIf(!claude)('a real Claude Code', () => {
  test('chats on the server; what was typed here is not repeated', async () => {
    setup = claudeSetup(model.url).setup
    server = await startServerProcess(directories, { env: { ...setup?.env, ...claudeBin } })
    const input = 'scenario:tool please\nscenario:text again\n'
    const { code, stdout, stderr } = await sluiceHere(['chat', 'claude'], input)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('It ran.')
    expect(stdout).not.toContain('› scenario')
    expect((await server.client.sessions.list()).sessions).toMatchObject([{ agent: 'claude' }])
  })
})

const claudeBin = { CLAUDE_BIN: process.env.CLAUDE_BIN ?? '' }
