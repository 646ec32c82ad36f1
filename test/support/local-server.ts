import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { openServer } from '../../src/cli/open-server.ts'
import { createServerLog } from '../../src/cli/server-log.ts'
import { createClient } from '../../src/client/client.ts'

export interface ServingOptions {
  needsToken?: boolean
  /** Of an earlier server. */
  directory?: string
  /** One that is free, unless told otherwise. */
  port?: number
}

export interface Sent {
  method?: string
  /** JSON, or the text itself. */
  body?: unknown
  headers?: Record<string, string>
  token?: string | null
}

/** A real server on a real port, over a data directory of its own. The demo plays without pauses. */
export const startServing = async ({
  needsToken = true,
  directory,
  port: wanted = 0,
}: ServingOptions = {}) => {
  process.env.SLUICE_DEMO_PACE = '0'
  const root = directory ?? realpathSync(mkdtempSync(join(tmpdir(), 'sluice-serving-')))
  const home = join(root, 'home')
  const projectDirectory = join(home, 'project')
  mkdirSync(projectDirectory, { recursive: true })
  const server = await openServer({
    data: join(root, 'data'),
    host: '127.0.0.1',
    roots: [home],
    needsToken,
    serverLog: createServerLog({ level: 'fatal', isPretty: false }),
  })
  const port = await server.listen(wanted)
  const url = `http://127.0.0.1:${port}`
  const key = await server.browserKey()
  const client = createClient({ url, token: key })

  const send = (path: string, { method = 'GET', body, headers, token = key }: Sent = {}) =>
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
    server,
    url,
    port,
    key,
    client,
    root,
    home,
    projectDirectory,
    /** A request below /api/v1. */
    api: (path: string, sent?: Sent) => send(`/api/v1${path}`, sent),
    /** A request as it is. */
    send,
    /** A session of the demo, in a project that all of them share. */
    async begin() {
      const project = await client.projects.create({ name: 'P', path: projectDirectory })
      const session = await client.sessions.create({ projectId: project.id, agent: 'demo' })
      return { project, session, id: session.id }
    },
    close: () => server.close(),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}
export type Serving = Awaited<ReturnType<typeof startServing>>

/** The problem that an answer is, with its status. */
export const problemIn = async (answer: Response | Promise<Response>) => {
  const response = await answer
  const type = response.headers.get('content-type')
  if (type !== 'application/problem+json')
    throw new Error(`${response.status} ${type}: ${await response.text()}`)
  const body = z.looseObject({ code: z.string() }).parse(await response.json())
  return { ...body, status: response.status, headers: response.headers }
}

/** Settles when the run that began after this event is over; the first, unless told otherwise. */
export const settled = async (
  { client }: Pick<Serving, 'client'>,
  id: string,
  after = 0,
): Promise<void> => {
  for await (const event of client.sessions.stream(id, { after }))
    if (event.type === 'agent_end') return
}
