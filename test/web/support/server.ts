import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Client, createClient } from '../../../src/client/index.ts'

const main = new URL('../../../src/cli/main.js', import.meta.url).pathname

export interface ServerOptions {
  /** Fills the data directory before the server opens it. */
  before?(data: string): Promise<void>
  /** Milliseconds that a word of the demo takes. */
  pace?: number
  env?: Record<string, string | undefined>
}

/** `sluice serve` as a process of its own, with data and projects that are thrown away. */
export const startServer = async ({ pace = 4, env = {}, before }: ServerOptions = {}) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-web-')))
  const projects = join(root, 'projects')
  mkdirSync(join(projects, 'garden'), { recursive: true })
  let port = 0
  let child: ChildProcess | undefined
  let token = ''

  const start = async (): Promise<void> => {
    const args = ['serve', '--port', String(port), '--data', join(root, 'data')]
    const started = spawn(process.execPath, [main, ...args, '--root', projects], {
      env: { ...process.env, SLUICE_DEMO_PACE: String(pace), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    const errors: string[] = []
    started.stderr.on('data', (chunk: Buffer) => errors.push(String(chunk)))
    for await (const line of createInterface(started.stdout)) {
      const [, found, secret] = /http:\/\/127\.0\.0\.1:(\d+)\/#token=(\S+)/.exec(line) ?? []
      if (found === undefined || secret === undefined) continue
      port = Number(found)
      token = secret
      return
    }
    throw new Error(`the server did not start: ${errors.join('')}`)
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const running = child
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    running.kill(signal)
    await once(running, 'exit')
  }

  await before?.(join(root, 'data'))
  await start()
  const url = `http://127.0.0.1:${port}/`
  const client: Client = createClient({ url, token: async () => token })
  const project = await client.projects.create({ name: 'garden', path: join(projects, 'garden') })
  return {
    url,
    client,
    project,
    projects,
    /** The address that the server printed. */
    address: () => `${url}#token=${token}`,
    /** A new session; of the demo, unless told otherwise. */
    begin: (name?: string, agent = 'demo', model?: string) =>
      client.sessions.create({
        projectId: project.id,
        agent,
        ...(name !== undefined && { name }),
        ...(model !== undefined && { model }),
      }),
    /** Settles when so many runs of a session are over. */
    async settled(id: string, runs = 1): Promise<void> {
      let ended = 0
      for await (const event of client.sessions.stream(id, { after: 0 })) {
        if (event.type === 'agent_end') ended += 1
        if (ended >= runs) return
      }
    },
    /** How many streams are open. */
    async streams(): Promise<number> {
      const headers = { authorization: `Bearer ${token}` }
      const text = await (await fetch(`${url}metrics`, { headers })).text()
      return Number(/^sluice_stream_clients (\d+)/m.exec(text)?.[1])
    },
    kill: () => end('SIGKILL'),
    start,
    async close(): Promise<void> {
      await end('SIGTERM')
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
export type Server = Awaited<ReturnType<typeof startServer>>
