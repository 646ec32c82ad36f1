import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { type SluiceOptions, sluice } from '../../support/sluice.ts'

let directories: ServerDirectories
let server: ServerProcess

beforeAll(async () => {
  directories = createServerDirectories()
  server = await startServerProcess(directories)
})
afterAll(async () => {
  await server.stop()
  directories.remove()
})

const env = { ...process.env, SLUICE_DEMO_PACE: '0' }
const run = (args: readonly string[], options: SluiceOptions = {}) =>
  sluice(['run', 'demo', ...args], { env, cwd: directories.projects, ...options })
const runHere = (args: readonly string[], options?: SluiceOptions) =>
  run([...args, '--data', directories.data], options)

const newest = async () => (await server.client.sessions.list({ limit: 1 })).sessions[0]
const count = async () => (await server.client.sessions.list({ limit: 200 })).sessions.length

describe('sluice run, when a server has the data directory', () => {
  test('runs on the server and leaves a session there', async () => {
    const { code, stdout } = await runHere(['think', '--out', 'text'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Done.') })
    expect(await newest()).toMatchObject({
      ...{ agent: 'demo', title: 'think', cwd: directories.projects, state: 'idle' },
    })
  })

  test('prints the events as they are stored', async () => {
    const { stdout } = await runHere(['think', '--out', 'events'])
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const session = await newest()
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.at(-1).seq).toBe(session?.seq)
    expect(events.every(({ sessionId }) => sessionId === session?.id)).toBe(true)
  })

  test('exits with 1 when the run failed, and names the reason', async () => {
    const { code, stderr } = await runHere(['error', '--out', 'text'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'sluice: The model failed (made up).\n' })
  })

  test('says where to answer an approval; Ctrl-C stops the run on the server', async () => {
    let isStopped = false
    const { code, stderr } = await runHere(['tool'], {
      onStderr(child, stderr) {
        if (isStopped || !stderr.includes('waiting for approval: bash')) return
        isStopped = child.kill('SIGINT')
      },
    })
    const session = await newest()
    expect(code).toBe(130)
    expect(stderr).toContain(
      `waiting for approval: bash. Answer it with: sluice attach ${session?.id.slice(0, 8)}\n`,
    )
    expect(session).toMatchObject({ state: 'idle', activity: { kind: 'idle' } })
    expect(await server.client.approvals.list()).toEqual([])
  })

  test('ends quietly when its reader has enough, and stops the run', async () => {
    const { stderr } = await runHere(['tool', '--approve', 'deny'], {
      onStdout: (child) => void child.stdout?.destroy(),
    })
    expect(stderr).toBe('')
    await eventually(async () => expect((await newest())?.state).toBe('idle'))
  })

  test('--approve answers approvals', async () => {
    const allowed = await runHere(['tool', '--approve', 'allow'])
    expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining('It was allowed') })
    const denied = await runHere(['tool', '--approve', 'deny'])
    expect(denied.stdout).toContain('It was denied (“Nobody is there to answer.”)')
  })

  test('is silent about an approval that a rule decides', async () => {
    const { id: projectId } = await server.client.projects.create({
      ...{ name: 'P', path: directories.projects },
    })
    const { rules } = server.client
    const rule = await rules.addToProject(projectId, { effect: 'deny', tool: 'bash' })
    const { code, stdout, stderr } = await runHere(['tool'])
    await rules.removeFromProject(projectId, rule.id)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('It was denied')
  })

  test('--continue goes on in the session of the directory', async () => {
    await runHere(['think'])
    const before = await count()
    const session = await newest()
    const { code, stdout } = await runHere(['error', '--continue'])
    expect(code).toBe(1)
    expect(stdout).not.toContain('think')
    expect(await count()).toBe(before)
    expect((await newest())?.seq).toBeGreaterThan(session?.seq ?? 0)
  })

  test.each([
    ['--no-server', ['--no-server'], ''],
    ['an option that a server does not have', ['--sandbox', 'off'], 'because of --sandbox'],
    ['a directory outside its roots', ['--cwd', '/'], 'the directory is outside its roots'],
  ])('runs in its own process with %s', async (_, args, reason) => {
    const before = await count()
    const { code, stderr } = await runHere(['think', ...args])
    expect(code).toBe(0)
    expect(stderr).toContain(reason)
    expect(await count()).toBe(before)
  })
})

describe('sluice run --url', () => {
  const elsewhere = () => ['--url', server.url, '--data', `${directories.data}-none`]

  test('needs no data directory, only a key', async () => {
    const options = { env: { ...env, SLUICE_TOKEN: server.token } }
    const { code, stderr } = await run(['think', ...elsewhere()], options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await newest()).toMatchObject({ title: 'think' })
  })

  test('says what to do without a key, and without a server', async () => {
    const refused = await run(['think', ...elsewhere()])
    const advice =
      'Put a key of the server into SLUICE_TOKEN. On its machine, `sluice keys add` creates one.'
    const stderr = `sluice: ${server.url}/ needs a key. ${advice}\n`
    expect(refused).toMatchObject({ code: 2, stderr })
    const wrong = await run(['think', ...elsewhere(), '--token', 'wrong'])
    expect(wrong.stderr).toBe(`sluice: ${server.url}/ does not accept this key. ${advice}\n`)
    const gone = await run(['think', '--url', 'http://127.0.0.1:9/'])
    expect(gone.code).toBe(1)
    expect(gone.stderr).toBe('sluice: Cannot reach a server at http://127.0.0.1:9/.\n')
  })

  test('refuses what only works without a server', async () => {
    const { code, stderr } = await run(['think', ...elsewhere(), '--sandbox', 'off'])
    expect({ code, stderr }).toEqual({
      ...{ code: 2, stderr: 'sluice: --sandbox does not work on a server.\n' },
    })
  })
})

test('without a server, --continue is refused', async () => {
  const { code, stderr } = await run(['think', '--continue', '--data', `${directories.data}-none`])
  expect(code).toBe(2)
  expect(stderr).toContain('--continue needs a server')
})
