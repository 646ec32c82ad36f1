import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { allScopes } from '../../src/api/scopes.ts'
import type { Project, SessionInfo } from '../../src/api/types.ts'
import type { LimitOptions } from '../../src/auth/limits/limits.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import type { HttpServer } from '../../src/sluice/http-server.ts'
import type { NatsSettings } from '../../src/sluice/open-nats-log.ts'
import { openSluice } from '../../src/sluice/sluice.ts'

export interface LocalServerOptions {
  needsToken?: boolean
  /** Whether allowing an approval needs a passkey. */
  passkeys?: boolean
  /** The root directory of an earlier server, to open its data again. */
  directory?: string
  /** Default: any free port. */
  port?: number
  limits?: LimitOptions
  /** A cluster that stores everything. */
  nats?: NatsSettings
}

export interface RequestOptions {
  method?: string
  /** A string is sent as it is, everything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** Default: a key with all scopes. Null sends no token. */
  token?: string | null
}

export interface LocalServer {
  instance: HttpServer
  url: string
  port: number
  /** A key with all scopes. */
  key: string
  client: Client
  /** Holds the data directory and `home`. */
  root: string
  /** The only project root. */
  home: string
  /** The directory of the project that `begin` creates. */
  projectDirectory: string
  /** Sends a request to a path below /api/v1. */
  api(path: string, sent?: RequestOptions): Promise<Response>
  /** Sends a request to a whole path. */
  send(path: string, sent?: RequestOptions): Promise<Response>
  /** Creates a session of the demo agent, always in the same project. */
  createDemoSession(): Promise<{ project: Project; session: SessionInfo; id: string }>
  close(): Promise<void>
  /** Deletes `root`. */
  remove(): void
}

/** Starts a server in this process, over a temporary data directory. The demo agent has no pauses. */
export const startLocalServer = async ({
  needsToken = true,
  passkeys = false,
  directory,
  port: wanted = 0,
  limits,
  nats,
}: LocalServerOptions = {}): Promise<LocalServer> => {
  process.env.SLUICE_DEMO_PACE = '0'
  const root = directory ?? realpathSync(mkdtempSync(join(tmpdir(), 'sluice-local-')))
  const home = join(root, 'home')
  const projectDirectory = join(home, 'project')
  mkdirSync(projectDirectory, { recursive: true })
  const sluice = await openSluice({
    data: join(root, 'data'),
    roots: [home],
    onError: () => {},
    nats,
    http: { port: wanted, auth: needsToken, passkeys: passkeys || undefined, limits },
  })
  const { server } = sluice
  if (!server) throw new Error('no server')
  const { origin: url, port } = new URL(server.url)
  const { key } = await server.keys.create({ name: 'test', scopes: [...allScopes] })
  const client = createClient({ url, token: key })

  const send = (
    path: string,
    { method = 'GET', body, headers, token = key }: RequestOptions = {},
  ) =>
    fetch(url + path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

  return {
    instance: server,
    url,
    port: Number(port),
    key,
    client,
    root,
    home,
    projectDirectory,
    api: (path, sent) => send(`/api/v1${path}`, sent),
    send,
    async createDemoSession() {
      const project = await client.projects.create({ name: 'P', path: projectDirectory })
      const session = await client.sessions.create({ projectId: project.id, agent: 'demo' })
      return { project, session, id: session.id }
    },
    close: () => sluice.close(),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Reads a response that must be a problem. */
export const readProblem = async (pending: Response | Promise<Response>) => {
  const response = await pending
  const type = response.headers.get('content-type')
  if (type !== 'application/problem+json')
    throw new Error(`${response.status} ${type}: ${await response.text()}`)
  const body = z.looseObject({ code: z.string() }).parse(await response.json())
  return { ...body, status: response.status, headers: response.headers }
}

/** Resolves when the first run after an event has ended. Default: the first run of the session. */
export const waitForRunEnd = async (
  { client }: Pick<LocalServer, 'client'>,
  id: string,
  after = 0,
): Promise<void> => {
  for await (const event of client.sessions.stream(id, { after }))
    if (event.type === 'agent_end') return
}
