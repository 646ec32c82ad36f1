import type { LevelWithSilent, Logger } from 'pino'
import { redact } from '../auth/redact.ts'
import { reasonOf } from '../shared/reason.ts'
import { cleanJson } from './clean-text.ts'
import { printRawError } from './terminal.ts'

export interface ServerLogOptions {
  level: LevelWithSilent
  /** Coloured lines for people, instead of one JSON object per line. */
  isPretty: boolean
}

type Line = (logger: Logger) => void

/** The server’s own log, on stderr. Keys and tokens are removed from every line. */
export interface ServerLog {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  /** Logs an error with its stack. */
  failed(cause: unknown): void
  /** Resolves when every line is written. */
  flush(): Promise<void>
}

/** Loads pino with the first line, so that it does not delay the start. */
export const createServerLog = (options: ServerLogOptions): ServerLog => {
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
    debug: (fields, text) => write((to) => to.debug(fields, text)),
    info: (fields, text) => write((to) => to.info(fields, text)),
    warn: (fields, text) => write((to) => to.warn(fields, text)),
    failed: (cause) => write((to) => to.error({ err: cause }, reasonOf(cause))),
    flush: async () => loading,
  }
}

const open = async ({ level, isPretty }: ServerLogOptions): Promise<Logger> => {
  const { pino } = await import('pino')
  const pretty = isPretty ? await prettyLines() : cleanJson
  // A closed stderr must not end the server.
  process.stderr.on('error', () => {})
  const write = (line: string): void => printRawError(pretty(line))
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
