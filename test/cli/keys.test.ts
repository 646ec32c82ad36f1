import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Auth, createAuth } from '../../src/auth/auth.ts'
import { openControlSocket } from '../../src/http/control-socket.ts'
import { writeServerFile } from '../../src/http/server-file.ts'
import { openSqliteLog } from '../../src/log/index.ts'
import { Problem, problemBody, problemHeaders } from '../../src/shared/problem.ts'
import { temporaryDirectory } from '../log/samples.ts'
import { sluice } from '../support/sluice.ts'

const keys = (directory: string, ...args: string[]) =>
  sluice(['keys', ...args, '--data', directory])
const listed = async (directory: string) =>
  (await keys(directory, 'list', '--json')).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Auth on a data directory that this process has, as a server does. */
const holdDirectory = async (directory: string): Promise<Auth> => {
  const log = await openSqliteLog(directory)
  const auth = createAuth({ ...log, serverId: 'x' })
  onTestFinished(async () => {
    auth.close()
    await log.close()
  })
  return auth
}

/** The routes of keys over HTTP; gives what came in. */
const serveKeys = async (auth: Auth) => {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const reply = (status: number, body?: object, headers = {}) =>
      response.writeHead(status, headers).end(body && JSON.stringify(body))
    try {
      await auth.authenticate(request.headers.authorization)
      if (request.method === 'GET') reply(200, { keys: await auth.keys.list() })
      else if (request.method === 'POST')
        reply(201, await auth.keys.create(JSON.parse(await text(request))))
      else {
        await auth.keys.revoke(request.url?.split('/').at(-1) ?? '')
        reply(204)
      }
    } catch (cause) {
      if (!(cause instanceof Problem)) throw cause
      reply(cause.status, problemBody(cause), problemHeaders(cause))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, seen }
}

describe('without a server', () => {
  test('a key is created, listed and revoked in the data directory', async () => {
    const directory = temporaryDirectory('keys')
    expect((await keys(directory, 'list')).stdout).toMatch(/^No keys yet/)
    const added = await keys(directory, 'add', 'ci job', '--scopes', 'prompt, read')
    expect(added.stdout).toMatch(/^sluice_[\w-]{43}\n$/) // alone, for $(…)
    expect(added.stderr).toMatch(/^sluice: created key [0-9a-f]{16} \(read, prompt\)/)
    expect(added.stderr).not.toContain(added.stdout.trim())
    const [key] = await listed(directory)
    expect(key).toMatchObject({ name: 'ci job', scopes: ['read', 'prompt'] })
    expect((await keys(directory, 'list')).stdout).toContain('never used')

    const auth = await holdDirectory(directory)
    await expect(auth.authenticate(`Bearer ${added.stdout.trim()}`)).resolves.toMatchObject({
      keyId: key.id,
    })
  })

  test('a key is restricted, expires, has an owner and quotas, and the audit lists it', async () => {
    const directory = temporaryDirectory('keys')
    const project = temporaryDirectory('project')
    const sessionId = '3f2a91c0-0000-4000-8000-000000000001'
    const options = [
      '--project',
      project,
      '--session',
      sessionId,
      '--expires',
      '30d',
      '--owner',
      'Ada',
    ]
    const quotas = ['--max-sessions', '3', '--max-streams', '4', '--max-disk', '2GB']
    const { code } = await keys(directory, 'add', 'ci', ...options, ...quotas)
    expect(code).toBe(0)
    const [key] = await listed(directory)
    expect(key).toMatchObject({
      projects: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
      sessions: [sessionId],
      owner: 'Ada',
      maxSessions: 3,
      maxStreams: 4,
      maxDiskBytes: 2_000_000_000,
    })
    expect(Math.round((key.expiresAt - key.createdAt) / 86_400_000)).toBe(30)
    expect((await keys(directory, 'list')).stdout).toMatch(
      /\[expires .*; owner Ada; .*sessions 3f2a91c0/,
    )

    // The directory is a project now, and its id names the same one.
    await keys(directory, 'add', 'again', '--project', key.projects[0], '--project', project)
    expect((await listed(directory))[1].projects).toEqual([key.projects[0], key.projects[0]])

    const { stdout } = await sluice(['audit', '--data', directory])
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^\S+ \S+ {2}project_created {3}terminal \(local\) /),
      expect.stringMatching(/ key_created {7}terminal \(local\) .* ci \([0-9a-f]{16}\): read$/),
      expect.stringMatching(/ key_created .* again /),
    ])
    const none = await sluice(['audit', '--actor', 'stranger', '--data', directory])
    expect(none.stdout).toBe('No entry matches.\n')
    const json = await sluice(['audit', '--json', '--action', 'key_created', '--data', directory])
    expect(
      json.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { action: 'key_created', by: 'terminal', actorKind: 'local' },
      { action: 'key_created' },
    ])
  })

  test('revoking works, and revoking again succeeds', async () => {
    const directory = temporaryDirectory('keys')
    const added = JSON.parse((await keys(directory, 'add', 'x', '--json')).stdout)
    expect(added).toMatchObject({ name: 'x', scopes: ['read'], key: expect.any(String) })
    for (let time = 0; time < 2; time += 1)
      expect(await keys(directory, 'revoke', added.id)).toMatchObject({
        code: 0,
        stdout: `Revoked ${added.id}.\n`,
      })
    expect(await listed(directory)).toMatchObject([{ id: added.id, revokedAt: expect.any(Number) }])
    const auth = await holdDirectory(directory)
    await expect(auth.authenticate(`Bearer ${added.key}`)).rejects.toMatchObject({
      code: 'key_revoked',
    })
  })

  test.each([
    [
      ['add', 'x', '--scopes', 'fly'],
      /“fly” is not a scope.*read, prompt, approve, rewrite, admin/,
    ],
    [['add', ' '], /./],
    [['add', 'x', '--expires', 'soon'], /Give a time such as/],
    [['add', 'x', '--max-disk', 'much'], /Give a size such as/],
    [['add', 'x', '--project', '/not/there'], /neither a project nor a directory/],
    [['revoke', 'nothing'], /no API key with the id nothing/],
    [['add'], /missing required argument/],
    [[], /Usage: sluice keys/],
  ])('keys %j is told what is wrong', async (args, message) => {
    const directory = temporaryDirectory('keys')
    const { code, stdout, stderr } = await sluice([
      'keys',
      ...args,
      ...(args.length > 0 ? ['--data', directory] : []),
    ])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })
})

describe('beside a server', () => {
  test('commands go through the server and take effect at once', async () => {
    const directory = temporaryDirectory('keys')
    const auth = await holdDirectory(directory)
    const socket = await openControlSocket(directory, auth.createTicket)
    onTestFinished(() => socket.close())
    const { url, seen } = await serveKeys(auth)
    writeServerFile(directory, { url, pid: process.pid })

    const added = JSON.parse((await keys(directory, 'add', 'x', '--json')).stdout)
    const access = await auth.authenticate(`Bearer ${added.key}`)
    expect(await listed(directory)).toMatchObject([{ id: added.id }])
    expect(await keys(directory, 'revoke', added.id)).toMatchObject({ code: 0 })
    expect(access.signal.reason).toMatchObject({ code: 'key_revoked' })
    expect(await keys(directory, 'revoke', 'nothing')).toMatchObject({
      code: 2,
      stderr:
        'sluice: There is no API key with the id nothing. To see the ids, run `sluice keys list`.\n',
    })
    expect(seen).toEqual([
      'POST /api/v1/keys',
      'GET /api/v1/keys',
      `DELETE /api/v1/keys/${added.id}`,
      'DELETE /api/v1/keys/nothing',
    ])
  })

  test('the file a crashed server left behind is ignored', async () => {
    const directory = temporaryDirectory('keys')
    const auth = await holdDirectory(directory)
    const { url, seen } = await serveKeys(auth)
    const stale = JSON.stringify({ url, pid: process.pid + 1 })
    writeFileSync(join(directory, 'server.json'), stale)
    const { code, stderr } = await keys(directory, 'list')
    expect(code).toBe(2)
    expect(stderr).toMatch(`in use by process ${process.pid}. It is not a Sluice server`)
    expect(seen).toEqual([])
  })

  test('a server that does not respond is reported', async () => {
    const directory = temporaryDirectory('keys')
    const auth = await holdDirectory(directory)
    const socket = await openControlSocket(directory, auth.createTicket)
    onTestFinished(() => socket.close())
    writeServerFile(directory, { url: 'http://127.0.0.1:9', pid: process.pid })
    const { code, stderr } = await keys(directory, 'list')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'sluice: Cannot reach the server, or the connection broke.\n',
    })
  })

  test('a server without its control socket is reported', async () => {
    const directory = temporaryDirectory('keys')
    const auth = await holdDirectory(directory)
    const { url, seen } = await serveKeys(auth)
    writeServerFile(directory, { url, pid: process.pid })
    const { code, stderr } = await keys(directory, 'list')
    expect({ code, seen }).toEqual({ code: 1, seen: [] })
    expect(stderr).toMatch(/does not respond on its control socket. Restart it.\n$/)
  })
})
