import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { findProgram, natsServer, unpackProgram } from './debian-program.ts'

if (findProgram(natsServer) === undefined) unpackProgram(natsServer)
const program = findProgram(natsServer)

/** Why the tests that need a NATS server are skipped; undefined when there is one. */
export const natsMissing = (): string | undefined =>
  program === undefined ? 'nats-server is not installed, and could not be downloaded' : undefined

/** A nats-server process on loopback, with JetStream. */
export interface NatsServer {
  readonly name: string
  readonly url: string
  /** The path of its configuration. */
  readonly config: string
  pid(): number | undefined
  /** Sends a signal. With SIGKILL or SIGSTOP, resolves when the process has ended or hangs. */
  signal(name: NodeJS.Signals): Promise<void>
  /** Starts the process again, with its data. */
  restart(): Promise<void>
}

/** Servers that replicate to each other. */
export interface NatsCluster {
  readonly servers: readonly NatsServer[]
  readonly urls: readonly string[]
  stop(): Promise<void>
}

export interface NatsServerOptions {
  /** Default: true. */
  jetStream?: boolean
  /** More lines for the configuration of each server. */
  config?: string
  /** False: clients learn no addresses beside those that they were given. Default: true. */
  advertises?: boolean
  /** Where a server stores its streams, by its index. Default: a directory of its own. */
  storeDirectory?(index: number): string | undefined
}

/** Starts one server, or several that form a cluster. */
export const startNats = async (
  count = 1,
  {
    jetStream = true,
    config: more = '',
    advertises = true,
    storeDirectory = () => undefined,
  }: NatsServerOptions = {},
): Promise<NatsCluster> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-nats-'))
  const ports = await freePorts(2 * count)
  const routes = ports.slice(count).map((port) => `"nats://127.0.0.1:${port}"`)
  const servers = ports.slice(0, count).map((port, index) => {
    const name = `n${index + 1}`
    const data = join(directory, name)
    mkdirSync(data)
    const cluster = `cluster { name: c1, listen: 127.0.0.1:${ports[count + index]}, routes: [${routes.join(', ')}], no_advertise: ${!advertises} }`
    const config = `server_name: ${name}
listen: 127.0.0.1:${port}
${jetStream ? `jetstream { store_dir: "${storeDirectory(index) ?? data}", max_mem: 256MB, max_file: 4GB }` : ''}
${count > 1 ? cluster : ''}
${more}
`
    writeFileSync(join(data, 'nats.conf'), config)
    return createNatsServer(name, `nats://127.0.0.1:${port}`, join(data, 'nats.conf'))
  })
  await Promise.all(servers.map((server) => server.restart()))
  return {
    servers,
    urls: servers.map(({ url }) => url),
    async stop() {
      await Promise.all(servers.map((server) => server.signal('SIGKILL')))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const createNatsServer = (name: string, url: string, config: string): NatsServer => {
  let child: ChildProcess | undefined
  return {
    ...{ name, url, config },
    pid: () => child?.pid,
    async signal(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill(signal)
      if (signal === 'SIGKILL') await ended
      if (signal === 'SIGSTOP') await untilStopped(child.pid)
    },
    async restart() {
      const started = spawn(program ?? natsServer.name, ['-c', config], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child = started
      await untilReady(started)
    },
  }
}

/** Long, because the machine may be busy. */
const startMs = 30_000

/** Resolves when the server accepts connections. Not with Vitest: the benchmarks start servers too. */
const untilReady = async (started: ChildProcess): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let output = ''
  const fail = () => reject(new Error(`nats-server does not start: ${output}`))
  const timer = setTimeout(fail, startMs)
  started.once('error', fail).once('exit', fail)
  started.stderr?.on('data', (chunk: Buffer) => {
    if (output.includes('Server is ready')) return
    output += chunk.toString()
    if (output.includes('Server is ready')) resolve()
  })
  await promise.finally(() => clearTimeout(timer))
}

/** Resolves when the system reports the process as stopped. */
const untilStopped = async (pid: number | undefined): Promise<void> => {
  const end = performance.now() + startMs
  while (readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'T') {
    if (performance.now() > end) throw new Error(`Process ${pid} still runs.`)
    await setImmediate()
  }
}

const freePorts = async (count: number): Promise<number[]> => {
  const listeners = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(listeners.map((each) => once(each, 'listening')))
  const ports = listeners.map((each) => {
    const address = each.address()
    if (typeof address !== 'object' || !address) throw new Error('There is no free port.')
    return address.port
  })
  await Promise.all(
    listeners.map((each) => {
      each.close()
      return once(each, 'close')
    }),
  )
  return ports
}
