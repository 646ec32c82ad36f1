import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { ptyMaker, startInTerminal } from '../../support/pty.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { root, sluice } from '../../support/sluice.ts'
import { storeWatched, watchedId } from '../../web/support/stored-watched.ts'

let directories: ServerDirectories
let server: ServerProcess

beforeAll(async () => {
  directories = createServerDirectories()
  const watched = { nativeId: 'roses', title: 'Watched roses' }
  await storeWatched(directories.data, directories.projects, watched)
  server = await startServerProcess(directories)
})
afterAll(async () => {
  await server.stop()
  directories.remove()
})

const env = { ...process.env, SLUICE_DEMO_PACE: '0', NO_COLOR: '1' }
const chat = (input: string, ...args: string[]) =>
  sluice(['chat', ...args, '--data', directories.data], { env, cwd: directories.projects, input })
const newest = async () => (await server.client.sessions.list({ limit: 1 })).sessions[0]
const count = async () => (await server.client.sessions.list({ limit: 200 })).sessions.length

describe('sluice chat, when a server has the data directory', () => {
  test('talks to the server, waits for the answers, and leaves the session there', async () => {
    const { code, stdout, stderr } = await chat('think\n', 'demo')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Done.')
    expect(stdout).toContain((await newest())?.id)
    expect(stdout).not.toContain('› think') // it was typed here
  })

  test('--continue and --resume show what was said, and add to it', async () => {
    const session = await newest()
    const before = await count()
    const continued = await chat('error\n', '--continue')
    expect(continued.code).toBe(1)
    expect(continued.stdout).toMatch(/› think.*Done\..*session .*This run fails/s)
    const resumed = await chat('', '--resume', session?.id.slice(0, 6) ?? '')
    expect(resumed.stdout).toMatch(/› think.*› error/s)
    expect(await count()).toBe(before)
    const other = await chat('', 'pi', '--resume', 'think')
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to demo') })
  })

  test('lists and removes rules of the server', async () => {
    const session = await newest()
    const rule = { effect: 'allow', tool: 'bash', pattern: 'npm test' } as const
    await server.client.rules.addToSession(session?.id ?? '', rule)
    const { stdout } = await chat('/rules\n/rules remove 1\n/rules\n', '--continue')
    expect(stdout).toMatch(/1 allow bash: npm test.*Removed: allow.*There are no rules\./s)
  })

  test('denies what waits when its input ends: nobody is there', async () => {
    const { stdout } = await chat('tool\n', 'demo')
    expect(stdout).toContain('It was denied (“Nobody is there to answer.”)')
  })

  test('refuses what only the server decides', async () => {
    const { code, stderr } = await chat('', 'demo', '--approve', 'allow')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `sluice: A server has ${directories.data} open, and --approve is set there. Leave out --approve.\n`,
    })
  })
})

describe.skipIf(ptyMaker.reason !== undefined)('sluice attach in a terminal', () => {
  let end: (() => void) | undefined
  afterEach(() => end?.())

  const attach = async (session: string) => {
    const argv = [process.execPath, join(root, 'src/cli/main.js'), 'attach', session]
    const terminal = startInTerminal([...argv, '--data', directories.data], {
      ...{ env, cwd: directories.projects },
    })
    end = terminal.kill
    await terminal.shows('session ')
    return terminal
  }

  /** A session whose agent waits for an approval. */
  const waiting = async (name: string) => {
    const { client } = server
    const { id: projectId } = await client.projects.create({ name, path: directories.projects })
    const { id } = await client.sessions.create({ projectId, agent: 'demo', name })
    await client.sessions.prompt(id, 'tool')
    await eventually(async () =>
      expect(await client.approvals.list({ sessionId: id })).toHaveLength(1),
    )
    return id
  }

  test('shows what was said and asks what waits; y allows it', async () => {
    const id = await waiting('Shared work')
    const terminal = await attach('shared')
    const seen = await terminal.shows('answer › ')
    expect(terminal.screen()).toMatch(/› tool.*Allow bash\?.*npm test.*y yes, once/s)
    terminal.type('y\r')
    await terminal.shows('It was allowed and is done.', seen)
    terminal.type('\x04')
    expect(await terminal.ended).toBe(0)
    expect((await server.client.sessions.get(id)).state).toBe('idle')
  })

  test('an answer from elsewhere takes the question away', async () => {
    const id = await waiting('Answered elsewhere')
    const terminal = await attach(id)
    const seen = await terminal.shows('answer › ')
    const [approval] = await server.client.approvals.list({ sessionId: id })
    await server.client.approvals.answer(approval?.approvalId ?? '', { action: 'deny' })
    await terminal.shows('Denied by test.', seen)
    await terminal.shows('It was denied', seen)
    terminal.type('\x04')
    expect(await terminal.ended).toBe(0)
  })

  test('an answer that the server refuses is named, and asked again', async () => {
    const terminal = await attach(await waiting('Refused rule'))
    let seen = await terminal.shows('answer › ')
    terminal.type('s rm *\r')
    seen = await terminal.shows('This rule would not have allowed the call', seen)
    seen = await terminal.shows('Allow bash?', seen)
    seen = await terminal.shows('answer › ', seen)
    terminal.type('n\r')
    await terminal.shows('It was denied', seen)
    terminal.type('\x04')
    expect(await terminal.ended).toBe(0)
  })

  test('leaving changes nothing: the agent still waits', async () => {
    const id = await waiting('Left alone')
    const terminal = await attach(id)
    await terminal.shows('answer › ')
    terminal.type('\x04')
    await terminal.shows(`The session goes on. To come back: sluice attach ${id.slice(0, 8)}`)
    expect(await terminal.ended).toBe(0)
    expect(await server.client.approvals.list({ sessionId: id })).toHaveLength(1)
    await server.client.sessions.abort(id)
  })

  test('shows messages of others, and its own only once', async () => {
    const id = await waiting('Two people')
    await server.client.sessions.abort(id)
    await eventually(async () => expect((await server.client.sessions.get(id)).state).toBe('idle'))
    const terminal = await attach(id)
    terminal.type('think\r')
    let seen = await terminal.shows('Done.')
    await server.client.sessions.prompt(id, 'error')
    seen = await terminal.shows('› error', seen)
    await terminal.shows('The model failed', seen)
    terminal.type('\x04')
    await terminal.ended
    expect(terminal.screen()).not.toContain('› think') // the line editor has drawn it
  })
})

test('attach in a pipe sends the lines, waits for the answers, and denies nothing', async () => {
  const { client } = server
  const path = directories.projects
  const { id: projectId } = await client.projects.create({ name: 'P', path })
  const { id } = await client.sessions.create({ projectId, agent: 'demo', name: 'Piped' })
  const options = { env, cwd: directories.projects, input: 'think\n' }
  const { code, stdout } = await sluice(['attach', 'piped', '--data', directories.data], options)
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Done.') })
  expect((await client.sessions.get(id)).state).toBe('idle')
})

test('attach to a watched session says that it is read-only, and how to continue it', async () => {
  const { stdout } = await sluice(['attach', 'watched roses', '--data', directories.data])
  expect(stdout).toContain(
    `its agent runs outside Sluice: write to it there; only its questions can be answered here. To let Sluice run it, use \`sluice continue ${watchedId('roses').slice(0, 8)}\``,
  )
  expect(stdout).not.toContain('Enter sends')
})

test('attach needs a server, and says so', async () => {
  const none = `${directories.data}-none`
  expect(await sluice(['attach', 'x', '--data', none])).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining(`No server runs on ${none}.`) },
  })
})
