import { createStyle } from '../handler/style.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import {
  byLastActivity,
  findServerSession,
  findStoredSession,
  serverSessions,
  storedSessions,
} from './find-session.ts'
import { nodeOn } from './node-data.ts'
import { onServer, requireServerAt, type ServerTarget } from './remote/server-target.ts'
import { exitCodeOfSignal, watchStopSignals } from './signals.ts'
import { type EventFilter, eventFilter, isUsualEvent } from './tail/event-filter.ts'
import { eventLine } from './tail/event-line.ts'
import { type TailedEvent, type TailOptions, tailLog } from './tail/tail-log.ts'
import { tailServer } from './tail/tail-server.ts'
import { printError, type Terminal } from './terminal.ts'

export interface TailVerbOptions extends ServerTarget {
  /** Default: the session that was used last. */
  session?: string
  all: boolean
  filter: readonly string[]
  /** In ms since 1970. */
  since?: number
  follow: boolean
  /** How many events of before are printed, without `since`. */
  lines: number
  json: boolean
}

/** `sluice tail`: prints the events of one session or of all, as they are stored. */
export const tail = async (
  options: TailVerbOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  if (options.all && options.session !== undefined)
    throw new Fault('usage', 'Name a session, or use --all.')
  const filter = eventFilter(options.filter, options.json ? () => true : isUsualEvent)
  const ending = new AbortController()
  const signals = watchStopSignals(closed)
  void signals.first.then(() => ending.abort())
  try {
    await onServer(options, async () => {
      const sessionId = options.all ? undefined : await sessionIdFor(options)
      const printer = createTailPrinter(options, filter, terminal)
      const since = options.since ?? defaultSince(options)
      const { signal } = ending
      const tailed = {
        sessionId,
        since,
        follows: options.follow,
        signal,
        onCaughtUp: printer.caughtUp,
      }
      for await (const each of sourceOf(options, tailed)) await printer.push(each)
    })
    // Ctrl-C is how people end it.
    const stopped = ending.signal.aborted ? await signals.first : 'SIGINT'
    return stopped === 'SIGINT' ? exitCodes.done : exitCodeOfSignal(stopped)
  } finally {
    signals.stop()
  }
}

const hour = 60 * 60 * 1000

/** All events of one session, of which the last are printed. Of all sessions, those from now on. */
const defaultSince = ({ all, follow }: TailVerbOptions): number => {
  if (!all) return 0
  return follow ? Date.now() : Date.now() - hour
}

/** The log of a node is in NATS, so its events come from its server. */
const isOnServer = ({ url, data }: ServerTarget): boolean =>
  url !== undefined || nodeOn(data) !== undefined

const sourceOf = (options: TailVerbOptions, tailed: TailOptions): AsyncIterable<TailedEvent> => {
  if (!isOnServer(options)) return tailLog(options.data, tailed)
  return tailServer({ ...tailed, client: requireServerAt(options), notice: printError })
}

const sessionIdFor = async (options: TailVerbOptions): Promise<string> => {
  const { session, data } = options
  const isRemote = isOnServer(options)
  if (session !== undefined && !isRemote) return (await findStoredSession(data, session)).id
  const client = isRemote ? requireServerAt(options) : undefined
  if (session !== undefined && client) return (await findServerSession(client, session)).id
  const sessions = client ? await serverSessions(client) : await storedSessions(data)
  const [last] = [...sessions].sort(byLastActivity)
  if (last) return last.id
  throw new Fault('usage', 'There are no sessions yet. Follow all that come with --all.')
}

/** Prints events: of those before, only the last ones, unless a time was given. */
const createTailPrinter = (
  { json, all, lines, since }: TailVerbOptions,
  filter: EventFilter,
  terminal: Terminal,
) => {
  const style = createStyle(terminal.colour())
  let held: TailedEvent[] | undefined = all || since !== undefined ? undefined : []

  const print = ({ event }: TailedEvent): void => {
    const columns = terminal.size()?.columns
    if (json) terminal.writeJson(event)
    else terminal.write(`${eventLine(event, { style, columns, hasSession: all })}\n`)
  }

  return {
    async push(each: TailedEvent): Promise<void> {
      if (!filter(each.event, each.agent)) return
      if (held) {
        held.push(each)
        if (held.length > 2 * lines) held = held.slice(-lines)
        return
      }
      print(each)
      await terminal.flush()
    },
    caughtUp(): void {
      const last = held?.slice(-lines) ?? []
      held = undefined
      for (const each of last) print(each)
      void terminal.flush()
    },
  }
}
