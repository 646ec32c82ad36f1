import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createAuth } from '../auth/auth.ts'
import { loadBrowserKey } from '../auth/browser-key.ts'
import { loadSecret } from '../auth/secret.ts'
import { createMetrics } from '../http/metrics.ts'
import { createServer } from '../http/server.ts'
import { LogFault } from '../log/log-fault.ts'
import { createStreams } from '../streams/streams.ts'
import { type Durability, openLog } from './open-log.ts'
import type { ServerLog } from './server-log.ts'
import { version } from './version.ts'

export interface OpenServerOptions {
  data: string
  durability?: Durability
  host: string
  roots: readonly string[]
  publicUrl?: string | undefined
  /** False: everybody may do everything. */
  needsToken: boolean
  serverLog: ServerLog
}

/** Puts a server together over a data directory. Only one process at a time may have it. */
export const openServer = async (options: OpenServerOptions) => {
  const { data, host, roots, publicUrl, needsToken, serverLog } = options
  const log = await openLog(data, options.durability)
  const auth = createAuth({ keys: log.keys, secret: loadSecret(data), isRequired: needsToken })
  const metrics = createMetrics()
  const onError = (cause: unknown): void => {
    serverLog.failed(cause)
    if (cause instanceof LogFault && cause.code === 'write_failed') feeds.notifyDegraded(notWritten)
  }
  const feeds = createStreams({ log, onError })

  const open = async () => {
    const { openWork } = await import('./open-work.ts')
    return openWork({
      data,
      log,
      announce: feeds.publishLifecycle,
      onError,
      publish(event) {
        metrics.event(event)
        feeds.publish(event)
      },
    })
  }
  let opening: ReturnType<typeof open> | undefined
  let opened: Awaited<typeof opening>
  const work = async () => {
    opening ??= open().catch((cause: unknown) => {
      opening = undefined // whoever asks next tries again
      throw cause
    })
    opened = await opening
    return opened
  }

  const server = createServer({
    log,
    auth,
    feeds,
    metrics,
    announce: feeds.publishLifecycle,
    host,
    publicUrl,
    roots,
    version,
    work: async () => (await work()).work,
    webDirectory: webDirectory(),
    report: onError,
    onAnswer: (answered) => serverLog.debug(answered, 'answered'),
  })
  const sweep = () => void server.sweep().catch(onError)
  const sweeping = setInterval(sweep, 60 * 60 * 1000).unref()

  return {
    ...server,
    /** Ends what an earlier server left behind, and loads what is needed for more than streams. */
    async begin(): Promise<void> {
      await work()
      await server.warmUp()
      sweep()
    },
    browserKey: () => loadBrowserKey(data, auth),
    figures: feeds.figures,
    /** Begins nothing new, and settles when no run is going on. */
    async idle(): Promise<void> {
      server.finish()
      await (await opening)?.idle()
    },
    /** Ends all agents by force and at once, for when there is no time to close. */
    kill: () => opened?.kill(),
    /** Agents first, so that readers see how their runs ended; then streams, then the log. */
    async close(): Promise<void> {
      clearInterval(sweeping)
      server.finish()
      await (await opening)?.close()
      await Promise.all([server.close(), feeds.close()])
      auth.close()
      await log.close()
    },
  }
}
export type OpenServer = Awaited<ReturnType<typeof openServer>>

const notWritten = 'The log cannot be written: agents are stopped, and what they say now is lost.'

/** The web app as it was built; from sources, where `npm start` puts it. */
const webDirectory = (): string | undefined => {
  const candidates = ['../web', '../../.cache/web'].map((path) => join(import.meta.dirname, path))
  return candidates.find((path) => existsSync(join(path, 'index.html')))
}
