import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test as both, describe, expect } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { createClient } from '../../../src/client/client.ts'
import { eventually } from '../../support/eventually.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'

/** A proxy that is set as docs/deploy.md says. */
interface Proxy {
  name: string
  /** Where it may be, for a machine that has it. */
  programs: string[]
  /** Shows its version, so that one knows that it is there. */
  version: string
  /** What people copy from the page. */
  copied: RegExp
  configuration(directory: string, port: number, copied: string): string
  args(directory: string, file: string): string[]
}

const proxies: Proxy[] = [
  {
    name: 'nginx',
    // Debian puts it where only root’s PATH looks.
    programs: [process.env.NGINX_BIN ?? '', 'nginx', '/usr/sbin/nginx'],
    version: '-v',
    copied: /(^ {2}location \/ \{.*?^ {2}\})/ms,
    configuration: (directory, port, copied) => `
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
${copied}
  }
}
`,
    args: (directory, file) => ['-p', directory, '-c', file, '-e', 'stderr'],
  },
  {
    name: 'Caddy',
    programs: [process.env.CADDY_BIN ?? '', 'caddy'],
    version: 'version',
    copied: /(^ {2}reverse_proxy [\d.:]+$)/m,
    configuration: (directory, port, copied) => `
{
  admin off
  auto_https off
  storage file_system ${directory}/storage
}
http://127.0.0.1:${port} {
${copied}
}
`,
    args: (_, file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
]

/** The part of docs/deploy.md that people copy, for a server at this port. */
const copiedFrom = ({ name, copied }: Proxy, port: number): string => {
  const page = readFileSync(new URL('../../../docs/deploy.md', import.meta.url), 'utf8')
  const [, found] = copied.exec(page) ?? []
  if (found === undefined) throw new Error(`docs/deploy.md has nothing for ${name}`)
  return found.replace('127.0.0.1:3000', `127.0.0.1:${port}`)
}

const programOf = ({ name, programs, version }: Proxy): string | undefined => {
  const program = programs.find((each) => each !== '' && spawnSync(each, [version]).status === 0)
  if (program === undefined) console.log(`skipped: behind ${name}: there is no ${name}`)
  return program
}

const known = proxies.map((proxy) => ({ ...proxy, program: programOf(proxy) }))

describe.each(known)('behind $name, set as docs/deploy.md says', ({ program, ...proxy }) => {
  const test = both.skipIf(program === undefined)
  let directories: ServerDirectories
  let server: ServerProcess
  let directory: string
  let running: ChildProcess
  let port: number

  beforeEach(async () => {
    if (program === undefined) return
    directories = createServerDirectories()
    port = await freePort()
    server = await startServerProcess(directories, {
      args: ['--public-url', `http://sluice.test:${port}`],
    })
    const inner = await innerPort(directories)
    directory = mkdtempSync(join(tmpdir(), 'sluice-proxy-'))
    const file = join(directory, 'configuration')
    writeFileSync(file, proxy.configuration(directory, port, copiedFrom(proxy, inner)))
    running = spawn(program, proxy.args(directory, file), { stdio: 'ignore' })
    await reachable(`http://127.0.0.1:${port}/api/v1/health`)
  })
  afterEach(async () => {
    if (program === undefined) return
    const ended = once(running, 'exit')
    running.kill('SIGTERM')
    await ended
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
    directories.remove()
  })

  test('events arrive one by one, as they happen', async () => {
    const client = createClient({ url: `http://127.0.0.1:${port}`, token: server.token })
    const project = await client.projects.create({ name: 'P', path: directories.projects })
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

  test('a large prompt passes; a page of another origin is refused', async () => {
    const client = createClient({ url: `http://127.0.0.1:${port}`, token: server.token })
    const project = await client.projects.create({ name: 'P', path: directories.projects })
    const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })
    const images = [{ data: Buffer.alloc(5_000_000).toString('base64'), mimeType: 'image/png' }]
    expect(await client.sessions.prompt(id, { text: 'think', images })).toMatchObject({
      outcome: 'accepted',
    })
    const foreign = await fetch(`http://127.0.0.1:${port}/api/v1/sessions`, {
      headers: { origin: 'http://evil.example', authorization: `Bearer ${server.token}` },
    })
    expect(foreign.status).toBe(403)
  })
})

/** Where the server itself listens, which it does not print. */
const innerPort = async ({ data }: ServerDirectories): Promise<number> => {
  const about: unknown = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8'))
  return Number(new URL(String(Reflect.get(Object(about), 'url'))).port)
}

/** Neither of them says when it listens. */
const reachable = (url: string): Promise<void> =>
  eventually(async () => expect((await fetch(url)).ok).toBe(true))
