import { homedir } from 'node:os'
import { isLoopback } from '../auth/origins.ts'
import { writeServerFile } from '../http/server-file.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import type { Durability } from './open-log.ts'
import { type OpenServer, openServer } from './open-server.ts'
import { createServerLog, type ServerLog, type ServerLogOptions } from './server-log.ts'
import { type Endings, watchEndings } from './signals.ts'
import type { Terminal } from './terminal.ts'

export interface ServeOptions {
  host: string
  port: number
  data: string
  durability: Durability
  /** Directories below which projects may lie; the home and the current one without any. */
  root: readonly string[]
  publicUrl?: string
  logLevel: ServerLogOptions['level']
  auth: boolean
  /** At the end, wait for runs that are going on. */
  finishRuns: boolean
}

/** `sluice serve`: sessions over HTTP, until a signal comes. */
export const serve = async (options: ServeOptions, terminal: Terminal): Promise<number> => {
  const { host, data, auth } = options
  if (!auth && !isLoopback(host))
    throw new Fault('usage', '--no-auth is only for a server that listens on the loopback.')
  // Before anything is opened: whatever is, must be closed in order.
  const endings = watchEndings()
  const serverLog = createServerLog({
    level: options.logLevel,
    isPretty: process.stderr.isTTY === true,
  })
  const server = await openServer({
    data,
    durability: options.durability,
    host,
    needsToken: auth,
    roots: options.root.length > 0 ? options.root : [homedir(), process.cwd()],
    publicUrl: options.publicUrl,
    serverLog,
  })
  const port = await listen(server, options)
  const url = `http://${nameOf(host)}:${port}/`
  const removeFile = writeServerFile(data, { url, pid: process.pid })
  const address = options.publicUrl ?? url
  terminal.write(
    `Sluice is at ${auth ? `${address}#token=${await server.browserKey()}` : address}\n`,
  )
  if (!auth) process.stderr.write(warning)
  await terminal.flush()
  serverLog.info({ host, port, data }, 'listening')
  // Readers who come back at once have their streams first; the rest is loaded behind them.
  const begin = setTimeout(() => void server.begin().catch(serverLog.failed), 100)

  const close = async () => {
    clearTimeout(begin)
    removeFile() // while the directory is still ours
    await server.close()
  }
  const code = await untilStopped({ ...server, close }, options, endings, serverLog)
  await serverLog.flush()
  endings.stop()
  return code
}

/** How this machine reaches what listens there. */
const nameOf = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

const warning =
  'sluice: without a token, every program and every user of this machine can drive the agents.\n'

const listen = async (server: OpenServer, { host, port }: ServeOptions): Promise<number> => {
  try {
    return await server.listen(port)
  } catch (cause) {
    await server.close()
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    const reason = reasons[String(code)] ?? `cannot be listened on (${String(code)}).`
    throw new Fault('not_listening', `${host}:${port} ${reason}`, { cause })
  }
}

/** Why it cannot be listened on, by the system’s own word. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use. End who has it, or take another with --port.',
  EACCES: 'may not be listened on by this user. Take a port above 1023.',
  EADDRNOTAVAIL: 'is no address of this machine.',
  ENOTFOUND: 'is no address of this machine.',
}

/** Waits for a signal and ends in order; a second signal ends at once. */
const untilStopped = async (
  server: Pick<OpenServer, 'idle' | 'close' | 'kill'>,
  { finishRuns }: ServeOptions,
  { first, second }: Endings,
  serverLog: ServerLog,
): Promise<number> => {
  const signal = await first
  serverLog.info({ signal }, finishRuns ? 'stopping when the runs are over' : 'stopping')
  process.stderr.write('sluice: stopping; once more to stop at once\n')
  const end = async () => {
    if (finishRuns) await server.idle()
    await server.close()
  }
  const isForced = await Promise.race([end().then(() => false), second.then(() => true)])
  if (!isForced) return exitCodes.done
  // Agents have process groups of their own: they would live on.
  server.kill()
  // Whatever is left would keep the process alive.
  process.exit(exitCodes.stopped)
}
