import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { createPlace, type Place, type Served, startServed } from './served.ts'

/** Debian puts it where only root’s PATH looks. */
const nginx = [process.env.NGINX_BIN ?? '', 'nginx', '/usr/sbin/nginx'].find(
  (program) => program !== '' && spawnSync(program, ['-v']).status === 0,
)
if (nginx === undefined) console.log('skipped: behind nginx: there is no nginx')

/** The `location` of docs/deploy.md, as people copy it. */
const location = (port: number): string => {
  const page = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8')
  const [, found] = /(^ {2}location \/ \{.*?^ {2}\})/ms.exec(page) ?? []
  if (found === undefined) throw new Error('docs/deploy.md has no location')
  return found.replace('127.0.0.1:3000', `127.0.0.1:${port}`)
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

describe.skipIf(nginx === undefined)('behind nginx, set as docs/deploy.md says', () => {
  let place: Place
  let served: Served
  let directory: string
  let proxy: ChildProcess
  let port: number

  beforeEach(async () => {
    place = createPlace()
    port = await freePort()
    served = await startServed(place, { args: ['--public-url', `http://sluice.test:${port}`] })
    const inner = await innerPort(place)
    directory = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
    const file = join(directory, 'nginx.conf')
    writeFileSync(file, configuration(directory, port, location(inner)))
    proxy = spawn(nginx ?? '', ['-p', directory, '-c', file, '-e', 'stderr'], { stdio: 'pipe' })
    await reachable(`http://127.0.0.1:${port}/api/v1/health`)
  })
  afterEach(async () => {
    const ended = once(proxy, 'exit')
    proxy.kill('SIGTERM')
    await ended
    await served.stop()
    rmSync(directory, { recursive: true, force: true })
    place.remove()
  })

  test('events pass one by one, as they happen', async () => {
    const client = createClient({ url: `http://127.0.0.1:${port}`, token: served.token })
    const project = await client.projects.create({ name: 'P', path: place.projects })
    const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })
    const types: string[] = []
    for await (const event of client.sessions.stream(id)) {
      types.push(event.type)
      if (event.type === 'snapshot') await client.sessions.prompt(id, 'approve')
      // Held back in a buffer, the request would never be seen, and the run never be over.
      if (event.type === 'approval_request')
        await client.approvals.answer(event.approvalId, { action: 'allow' })
      if (event.type === 'agent_end') break
    }
    expect(types[0]).toBe('snapshot')
    expect(types).toContain('approval_resolved')
    const figures = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(figures.status).toBe(401) // though the proxy comes from the loopback
  })

  test('a large prompt passes, and the page elsewhere does not', async () => {
    const client = createClient({ url: `http://127.0.0.1:${port}`, token: served.token })
    const project = await client.projects.create({ name: 'P', path: place.projects })
    const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })
    const images = [{ data: Buffer.alloc(5_000_000).toString('base64'), mimeType: 'image/png' }]
    expect(await client.sessions.prompt(id, { text: 'think', images })).toMatchObject({
      outcome: 'accepted',
    })
    const foreign = await fetch(`http://127.0.0.1:${port}/api/v1/sessions`, {
      headers: { origin: 'http://evil.example', authorization: `Bearer ${served.token}` },
    })
    expect(foreign.status).toBe(403)
  })
})

/** Where the server itself listens, which it does not print. */
const innerPort = async ({ data }: Place): Promise<number> => {
  const about: unknown = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8'))
  return Number(new URL(String(Reflect.get(Object(about), 'url'))).port)
}

const configuration = (directory: string, port: number, inner: string): string => `
daemon off;
pid ${directory}/pid;
worker_processes 1;
events {}
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  server {
  listen 127.0.0.1:${port};
${inner}
  }
}
`

const reachable = async (url: string): Promise<void> => {
  for (let tries = 0; tries < 500; tries += 1) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`${url} does not answer`)
}
