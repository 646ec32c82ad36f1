import type { LevelWithSilent, Logger } from 'pino'
import { redact } from '../auth/redact.ts'
import { reasonOf } from '../shared/reason.ts'

export interface ServerLogOptions {
  level: LevelWithSilent
  /** For people, with colour, instead of one JSON object per line. */
  isPretty: boolean
}

type Line = (logger: Logger) => void

/**
 * The server’s own log, on stderr. The library is loaded behind the first line: what a start needs
 * comes first. No key and no token gets into it, wherever they stand.
 */
export const createServerLog = (options: ServerLogOptions) => {
  let logger: Logger | undefined
  let waiting: Line[] = []
  let loading: Promise<void> | undefined

  const load = async (): Promise<void> => {
    logger = await open(options)
    for (const line of waiting) line(logger)
    waiting = []
  }

  const write = (line: Line): void => {
    if (options.level === 'silent') return
    if (logger) line(logger)
    else waiting.push(line)
    loading ??= load()
  }

  return {
    debug: (fields: object, text: string) => write((to) => to.debug(fields, text)),
    info: (fields: object, text: string) => write((to) => to.info(fields, text)),
    warn: (fields: object, text: string) => write((to) => to.warn(fields, text)),
    /** What went wrong, with where it did. */
    failed: (cause: unknown) => write((to) => to.error({ err: cause }, reasonOf(cause))),
    /** Settles when everything is out. */
    flush: async (): Promise<void> => loading,
  }
}
export type ServerLog = ReturnType<typeof createServerLog>

const open = async ({ level, isPretty }: ServerLogOptions): Promise<Logger> => {
  const { pino } = await import('pino')
  const pretty = isPretty ? await prettyLines() : (line: string) => line
  // Whoever read it went away: that is no reason to end.
  process.stderr.on('error', () => {})
  const write = (line: string): void => void process.stderr.write(pretty(line))
  return pino({ level, hooks: { streamWrite: redact } }, { write })
}

const prettyLines = async (): Promise<(line: string) => string> => {
  const { prettyFactory } = await import('pino-pretty')
  return prettyFactory({
    colorize: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
  })
}
