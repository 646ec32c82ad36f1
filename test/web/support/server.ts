import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Project, SessionInfo } from '../../../src/api/index.ts'
import { type Client, createClient } from '../../../src/client/index.ts'
import { createTestKey } from '../../support/server-process.ts'

const main = new URL('../../../src/cli/main.js', import.meta.url).pathname

export interface SluiceOptions {
  /** Fills the data directory before the server opens it. */
  before?(data: string): Promise<void>
  /** How many milliseconds the demo agent takes for a word. */
  pace?: number
  env?: Record<string, string | undefined>
}

/** A running `sluice serve`, and what tests do with it. */
export interface SluiceServer {
  readonly url: string
  readonly client: Client
  /** A project in an empty directory, named `garden`. */
  readonly project: Project
  /** The allowed root directory. */
  readonly root: string
  /** A link that signs one browser in. */
  pairingUrl(): Promise<string>
  /** Creates a session; of the demo agent, unless another one is named. */
  createSession(name?: string, agent?: string, model?: string): Promise<SessionInfo>
  /** Resolves when so many runs of a session have ended. */
  runsEnded(sessionId: string, runs?: number): Promise<void>
  /** How many streams are open. */
  openStreams(): Promise<number>
  /** Kills the process, as a crash would. */
  kill(): Promise<void>
  /** Starts the process again, on the same port and data. */
  start(): Promise<void>
  /** Stops the process and deletes its data. */
  close(): Promise<void>
}

/** Starts `sluice serve` as a process of its own, in a temporary directory. */
export const startSluice = async ({
  pace = 4,
  env = {},
  before,
}: SluiceOptions = {}): Promise<SluiceServer> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-web-')))
  const root = join(directory, 'projects')
  mkdirSync(join(root, 'garden'), { recursive: true })
  let port = 0
  let child: ChildProcess | undefined
  let token = ''

  const start = async (): Promise<void> => {
    const args = ['serve', '--port', String(port), '--data', join(directory, 'data')]
    const started = spawn(process.execPath, [main, ...args, '--root', root], {
      env: { ...process.env, SLUICE_DEMO_PACE: String(pace), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    const errors: string[] = []
    started.stderr.on('data', (chunk: Buffer) => errors.push(String(chunk)))
    for await (const line of createInterface(started.stdout)) {
      const [, printedPort] = /at http:\/\/127\.0\.0\.1:(\d+)\//.exec(line) ?? []
      if (printedPort === undefined) continue
      port = Number(printedPort)
      token = await createTestKey(join(directory, 'data'))
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

  await before?.(join(directory, 'data'))
  await start()
  const url = `http://127.0.0.1:${port}/`
  const client = createClient({ url, token: async () => token })
  const project = await client.projects.create({ name: 'garden', path: join(root, 'garden') })
  return {
    url,
    client,
    project,
    root,
    pairingUrl: async () => (await client.auth.createPairing()).url,
    createSession: (name, agent = 'demo', model) =>
      client.sessions.create({
        projectId: project.id,
        agent,
        ...(name !== undefined && { name }),
        ...(model !== undefined && { model }),
      }),
    async runsEnded(sessionId, runs = 1) {
      let ended = 0
      for await (const event of client.sessions.stream(sessionId, { after: 0 })) {
        if (event.type === 'agent_end') ended += 1
        if (ended >= runs) return
      }
    },
    async openStreams() {
      const headers = { authorization: `Bearer ${token}` }
      const text = await (await fetch(`${url}metrics`, { headers })).text()
      return Number(/^sluice_stream_clients (\d+)/m.exec(text)?.[1])
    },
    kill: () => end('SIGKILL'),
    start,
    async close() {
      await end('SIGTERM')
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
