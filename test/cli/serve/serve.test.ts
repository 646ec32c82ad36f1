import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { processTable } from '../../../src/process/process-table.ts'
import { descendantsOf } from '../../support/descendants.ts'
import { openRawSocket, requestHead } from '../../support/raw-socket.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '../../support/server-process.ts'
import { sluice } from '../../support/sluice.ts'

/** `sluice serve` from its start to its end, as a process. */
describe('sluice serve', () => {
  let directories: ServerDirectories
  const running: ServerProcess[] = []

  beforeEach(() => {
    directories = createServerDirectories()
  })
  afterEach(async () => {
    for (const each of running.splice(0))
      if (each.child.exitCode === null) await each.stop('SIGKILL')
    directories.remove()
  })

  const start = async (options?: ServerProcessOptions): Promise<ServerProcess> => {
    const server = await startServerProcess(directories, options)
    running.push(server)
    return server
  }

  const begin = async ({ client }: ServerProcess): Promise<string> => {
    const project = await client.projects.create({ name: 'P', path: directories.projects })
    return (await client.sessions.create({ projectId: project.id, agent: 'demo' })).id
  }

  const openStream = ({ url, token }: ServerProcess, id: string) =>
    fetch(`${url}/api/v1/sessions/${id}/stream`, { headers: { authorization: `Bearer ${token}` } })

  test('prints its address without a terminal, and nothing that lets anybody in', async () => {
    const server = await start()
    expect(server.output.stdout).toBe(
      `Sluice is at ${server.url}/\nTo sign a browser in, run \`npm run -s sluice -- pair --data ${directories.data}\`.\n`,
    )
    expect(await server.client.health()).toMatchObject({ status: 'ok' })
    expect(await server.client.sessions.list()).toEqual({ sessions: [] })
    expect(existsSync(join(directories.data, 'server.json'))).toBe(true)
    expect(await server.stop('SIGINT')).toBe(0)
    expect(existsSync(join(directories.data, 'server.json'))).toBe(false)
  })

  test('stops gracefully: readers see the end of the run and when to reconnect', async () => {
    const server = await start({ env: { ...process.env, SLUICE_DEMO_PACE: '20' } })
    const id = await begin(server)
    const stream = await openStream(server, id)
    await server.client.sessions.prompt(id, 'long')
    let text = ''
    let isTold = false
    const decoder = new TextDecoder()
    for await (const chunk of stream.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.includes('text_delta') && !isTold) isTold = server.child.kill('SIGTERM')
    }
    expect(await server.exited).toBe(0)
    expect(text).toContain('"type":"agent_end"')
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^retry: \d+$/)
    // What the last reader saw is what the next start has.
    const again = await start()
    const { events } = await again.client.sessions.events(id, { limit: 5000 })
    const seen = [...text.matchAll(/^id: (\d+)-/gm)].map(([, seq]) => Number(seq))
    expect(events.at(-1)?.seq).toBe(seen.at(-1))
  })

  test('--finish-runs waits for runs: approvals work meanwhile, new prompts are refused', async () => {
    const server = await start({ args: ['--finish-runs'] })
    const id = await begin(server)
    await server.client.sessions.prompt(id, 'approve')
    for await (const event of server.client.sessions.stream(id))
      if (event.type === 'approval_request') break
      else if (event.type === 'snapshot' && event.approvals?.length) break
    server.child.kill('SIGTERM')
    await server.waitForStderr('press Ctrl-C again')
    expect(await server.client.health()).toMatchObject({ status: 'stopping' })
    await expect(server.client.sessions.steer(id, 'x')).rejects.toMatchObject({
      status: 503,
      code: 'stopping',
    })
    const [waiting] = await server.client.approvals.list()
    await server.client.approvals.answer(waiting?.approvalId ?? '', { action: 'allow' })
    expect(await server.exited).toBe(0)
  })

  test('a second signal kills the server and its agents at once', async () => {
    const server = await start({ args: ['--finish-runs'] })
    const id = await begin(server)
    await server.client.sessions.prompt(id, 'approve')
    const agents = agentsBelow(server.child.pid)
    expect(agents.length).toBeGreaterThan(0) // in a sandbox, also bubblewrap
    for (const pid of agents) process.kill(pid, 'SIGSTOP') // it hears nothing that it may heed
    server.child.kill('SIGINT')
    await server.waitForStderr('press Ctrl-C again')
    expect(await server.stop('SIGINT')).toBe(130)
    await expect
      .poll(() => agents.filter((pid) => processTable.startTimeOf(pid) !== undefined))
      .toEqual([])
  })

  test('a prompt whose body arrives during the stop is refused and starts no agent', async () => {
    const server = await start()
    const id = await begin(server)
    const body = JSON.stringify({ text: 'think' })
    const { socket, received: text, closed } = await openRawSocket(server.port)
    socket.write(
      requestHead(`POST /api/v1/sessions/${id}/prompt`, {
        Authorization: `Bearer ${server.token}`,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
      }),
    )
    socket.write(body.slice(0, 5))
    // Answered later than that one was taken in.
    await server.client.sessions.get(id)
    server.child.kill('SIGTERM')
    const isListening = () =>
      fetch(`${server.url}/api/v1/health`).then(
        () => true,
        () => false,
      )
    await expect.poll(isListening).toBe(false)
    socket.write(body.slice(5))
    await closed
    expect(text()).toMatch(/^HTTP\/1\.1 503 /)
    expect(text()).toContain('"code":"stopping"')
    expect(await server.exited).toBe(0)
  })

  test('its files are readable by their owner only', async () => {
    const server = await start()
    await begin(server)
    const open = [
      directories.data,
      ...readdirSync(directories.data).map((name) => join(directories.data, name)),
    ]
      .map((path) => [path, statSync(path).mode & 0o077] as const)
      .filter(([, mode]) => mode !== 0)
    expect(open).toEqual([])
    expect(readdirSync(directories.data)).toContain('sluice.db-wal')
  })

  test('a port in use names the process that has it', async () => {
    const server = await start()
    const other = createServerDirectories()
    const second = await sluice(['serve', '--port', String(server.port), '--data', other.data])
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toContain(`Port ${server.port} is in use by process ${server.child.pid}.`)
    expect(second.stderr).toContain('--port')
    other.remove()
  })

  test('a data directory in use is refused', async () => {
    await start()
    const second = await sluice(['serve', '--port', '0', '--data', directories.data])
    expect(second).toMatchObject({ code: 2, stdout: '' })
    expect(second.stderr).toContain('in use')
  })

  test('--no-auth warns', async () => {
    const server = await start({ args: ['--no-auth'] })
    expect(server.output.stdout).toMatch(/^Sluice is at http:\/\/127\.0\.0\.1:\d+\/\n$/)
    await server.waitForStderr('no sign-in is needed')
    expect((await fetch(`${server.url}/api/v1/sessions`)).status).toBe(200)
  })

  test.each([
    ['--host', '0.0.0.0', 'everybody who reaches 0.0.0.0'],
    ['--host', '::', 'everybody who reaches ::'],
    ['--public-url', 'https://x.example/', 'everybody who reaches https://x.example/'],
  ])('--no-auth with %s %s does not start', async (option, value, message) => {
    const args = ['serve', '--no-auth', option, value, '--data', directories.data]
    const refused = await sluice(args)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain(message)
  })

  test('on all addresses, it says how open it is, and where it can be reached', async () => {
    const server = await start({ args: ['--host', '0.0.0.0'] })
    await server.waitForStderr('without encryption (plain HTTP)')
    const addresses = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
    for (const { address } of addresses)
      expect(server.output.stdout).toContain(`http://${address}:${server.port}/`)
    expect(server.output.stdout).not.toContain('pair_')
  })

  test.each([
    ['--port', 'many'],
    ['--public-url', 'ftp://x'],
    ['--log-level', 'loud'],
    ['--durability', 'none'],
  ])('%s %s is refused', async (option, value) => {
    const refused = await sluice(['serve', option, value, '--data', directories.data])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(option)
  })

  test('answers to its public name and to no other', async () => {
    const server = await start({ args: ['--public-url', 'https://sluice.example.org'] })
    expect(server.output.stdout).toContain('Sluice is at https://sluice.example.org/\n')
    const { url } = JSON.parse(readFileSync(join(directories.data, 'server.json'), 'utf8'))
    expect(await statusAs(`${url}api/v1/health`, 'sluice.example.org')).toBe(200)
    expect(await statusAs(`${url}api/v1/health`, 'other.example.org')).toBe(403)
  })

  test('logs JSON lines without a terminal, and never a token', async () => {
    const server = await start({ args: ['--log-level', 'trace'] })
    const { token } = await server.client.auth.token()
    await fetch(`${server.url}/api/v1/sessions?token=${token}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await fetch(`${server.url}/api/v1/${server.token}`)
    await server.stop()
    const lines = server.output.stderr.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: 'answered', path: '/api/v1/auth/token', status: 201 }),
    )
    expect(server.output.stderr).not.toContain(token)
    expect(server.output.stderr).not.toContain(server.token)
  })
})

const agentsBelow = (pid = 0): number[] =>
  descendantsOf(pid).filter((each) =>
    readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('demo'),
  )

/** `fetch` does not let a program set its Host. */
const statusAs = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { host } }, (response) => {
      resolve(response.statusCode)
      response.resume()
    }).on('error', reject)
  })
