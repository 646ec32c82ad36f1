import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { descendantsOf } from '../../../src/process/descendants.ts'
import { startTimeOf } from '../../../src/process/orphans.ts'
import { headOf, openRaw } from '../../support/raw-socket.ts'
import {
  createPlace,
  type Place,
  type Served,
  type ServedOptions,
  startServed,
} from '../../support/server-process.ts'
import { sluice } from '../../support/sluice.ts'

/** `sluice serve` from its start to its end, as a process. */
describe('sluice serve', () => {
  let place: Place
  const running: Served[] = []

  beforeEach(() => {
    place = createPlace()
  })
  afterEach(async () => {
    for (const each of running.splice(0))
      if (each.child.exitCode === null) await each.stop('SIGKILL')
    place.remove()
  })

  const start = async (options?: ServedOptions): Promise<Served> => {
    const served = await startServed(place, options)
    running.push(served)
    return served
  }

  const begin = async ({ client }: Served): Promise<string> => {
    const project = await client.projects.create({ name: 'P', path: place.projects })
    return (await client.sessions.create({ projectId: project.id, agent: 'demo' })).id
  }

  const openStream = ({ url, token }: Served, id: string) =>
    fetch(`${url}/api/v1/sessions/${id}/stream`, { headers: { authorization: `Bearer ${token}` } })

  test('prints an address that opens, and the same key at the next start', async () => {
    const served = await start()
    expect(served.said.stdout).toMatch(
      /^Sluice is at http:\/\/127\.0\.0\.1:\d+\/#token=sluice_\S+\n$/,
    )
    expect(await served.client.health()).toMatchObject({ status: 'ok' })
    expect(await served.client.sessions.list()).toEqual({ sessions: [] })
    expect(existsSync(join(place.data, 'server.json'))).toBe(true)
    expect(await served.stop('SIGINT')).toBe(0)
    expect(existsSync(join(place.data, 'server.json'))).toBe(false)
    const again = await start()
    expect(again.token).toBe(served.token)
    expect(await again.stop()).toBe(0)
  })

  test('stops in order: the run is closed, its readers see it and are told when to come back', async () => {
    const served = await start({ env: { ...process.env, SLUICE_DEMO_PACE: '20' } })
    const id = await begin(served)
    const stream = await openStream(served, id)
    await served.client.sessions.prompt(id, 'long')
    let text = ''
    let isTold = false
    const decoder = new TextDecoder()
    for await (const chunk of stream.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.includes('text_delta') && !isTold) isTold = served.child.kill('SIGTERM')
    }
    expect(await served.exited).toBe(0)
    expect(text).toContain('"type":"agent_end"')
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^retry: \d+$/)
    // What the last reader saw is what the next start has.
    const again = await start()
    const { events } = await again.client.sessions.events(id, { limit: 5000 })
    const seen = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
    expect(events.at(-1)?.seq).toBe(seen.at(-1))
  })

  test('with --finish-runs it waits for runs: people decide meanwhile, and begin nothing', async () => {
    const served = await start({ args: ['--finish-runs'] })
    const id = await begin(served)
    await served.client.sessions.prompt(id, 'approve')
    for await (const event of served.client.sessions.stream(id))
      if (event.type === 'approval_request') break
      else if (event.type === 'snapshot' && event.approvals?.length) break
    served.child.kill('SIGTERM')
    await served.heard('once more')
    expect(await served.client.health()).toMatchObject({ status: 'stopping' })
    await expect(served.client.sessions.steer(id, 'x')).rejects.toMatchObject({
      status: 503,
      code: 'stopping',
    })
    const [waiting] = await served.client.approvals.list()
    await served.client.approvals.answer(waiting?.approvalId ?? '', { action: 'allow' })
    expect(await served.exited).toBe(0)
  })

  test('a second signal ends it at once, and agents that do not want to', async () => {
    const served = await start({ args: ['--finish-runs'] })
    const id = await begin(served)
    await served.client.sessions.prompt(id, 'approve')
    const agents = agentsBelow(served.child.pid)
    expect(agents).toHaveLength(1)
    for (const pid of agents) process.kill(pid, 'SIGSTOP') // it hears nothing that it may heed
    served.child.kill('SIGINT')
    await served.heard('once more')
    expect(await served.stop('SIGINT')).toBe(130)
    await expect.poll(() => agents.filter((pid) => startTimeOf(pid) !== undefined)).toEqual([])
  })

  test('a prompt whose body comes too late is refused, and starts no agent', async () => {
    const served = await start()
    const id = await begin(served)
    const body = JSON.stringify({ text: 'think' })
    const { socket, text, closed } = await openRaw(served.port)
    socket.write(
      headOf(`POST /api/v1/sessions/${id}/prompt`, {
        Authorization: `Bearer ${served.token}`,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
      }),
    )
    socket.write(body.slice(0, 5))
    // Answered later than that one was taken in.
    await served.client.sessions.get(id)
    served.child.kill('SIGTERM')
    const isListening = () =>
      fetch(`${served.url}/api/v1/health`).then(
        () => true,
        () => false,
      )
    await expect.poll(isListening).toBe(false)
    socket.write(body.slice(5))
    await closed
    expect(text()).toMatch(/^HTTP\/1\.1 503 /)
    expect(text()).toContain('"code":"stopping"')
    expect(await served.exited).toBe(0)
  })

  test('what it keeps is for its owner alone', async () => {
    const served = await start()
    await begin(served)
    const open = [place.data, ...readdirSync(place.data).map((name) => join(place.data, name))]
      .map((path) => [path, statSync(path).mode & 0o077] as const)
      .filter(([, mode]) => mode !== 0)
    expect(open).toEqual([])
    expect(readdirSync(place.data)).toContain('sluice.db-wal')
  })

  test.skipIf(!hasLimits)('a log that cannot be written is told to readers', async () => {
    const served = await start()
    const id = await begin(served)
    const { headers, body } = await openStream(served, id)
    expect(headers.get('content-type')).toBe('text/event-stream')
    // As on a disk that is full: no file of the server may grow any more.
    execFileSync('prlimit', ['--pid', String(served.child.pid), '--fsize=1024:1024'])
    const prompted = served.client.sessions.prompt(id, 'think').catch(() => {})
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.includes('"type":"degraded"')) break
    }
    expect(text).toContain('The log cannot be written')
    await prompted
  })

  test('a port that is in use is told in words', async () => {
    const served = await start()
    const other = createPlace()
    const second = await sluice(['serve', '--port', String(served.port), '--data', other.data])
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toContain(`127.0.0.1:${served.port} is in use`)
    expect(second.stderr).toContain('--port')
    other.remove()
  })

  test('a data directory that is in use is told in words', async () => {
    await start()
    const second = await sluice(['serve', '--port', '0', '--data', place.data])
    expect(second).toMatchObject({ code: 2, stdout: '' })
    expect(second.stderr).toContain('in use')
  })

  test('without a token it warns, and only on the loopback', async () => {
    const served = await start({ args: ['--no-auth'] })
    expect(served.said.stdout).toMatch(/^Sluice is at http:\/\/127\.0\.0\.1:\d+\/\n$/)
    await served.heard('without a token')
    expect((await fetch(`${served.url}/api/v1/sessions`)).status).toBe(200)
    const refused = await sluice(['serve', '--no-auth', '--host', '0.0.0.0', '--data', place.data])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('loopback')
  })

  test.each([
    ['--port', 'many'],
    ['--public-url', 'ftp://x'],
    ['--log-level', 'loud'],
    ['--durability', 'none'],
  ])('%s %s is refused', async (option, value) => {
    const refused = await sluice(['serve', option, value, '--data', place.data])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(option)
  })

  test('is known by its public name, and by no other', async () => {
    const served = await start({ args: ['--public-url', 'https://sluice.example.org'] })
    expect(served.said.stdout).toContain('https://sluice.example.org/#token=')
    const { url } = JSON.parse(readFileSync(join(place.data, 'server.json'), 'utf8'))
    expect(await statusAs(`${url}api/v1/health`, 'sluice.example.org')).toBe(200)
    expect(await statusAs(`${url}api/v1/health`, 'other.example.org')).toBe(403)
  })

  test('logs what it does, as JSON where nobody looks, and never a token', async () => {
    const served = await start({ args: ['--log-level', 'trace'] })
    const { token } = await served.client.auth.token()
    await fetch(`${served.url}/api/v1/sessions?token=${token}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await fetch(`${served.url}/api/v1/${served.token}`)
    await served.stop()
    const lines = served.said.stderr.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: 'answered', path: '/api/v1/auth/token', status: 201 }),
    )
    expect(served.said.stderr).not.toContain(token)
    expect(served.said.stderr).not.toContain(served.token)
  })
})

/** Whether the limits of a process can be changed from outside. */
const hasLimits = spawnSync('prlimit', ['--version']).status === 0

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
