import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { StampedEvent } from '../../events/types.ts'
import type { LogReader } from '../../log/log.ts'
import { databaseFile } from '../../log/sqlite/open-database.ts'
import { openSqliteReader } from '../../log/sqlite/sqlite-reader.ts'
import type { SessionRecord } from '../../log/types.ts'
import { asDataFault } from '../../sluice/open-log.ts'

/** An event, and the agent of its session. */
export interface TailedEvent {
  event: StampedEvent
  agent: string
}

export interface TailOptions {
  /** The id of the only session; absent for all. */
  sessionId?: string | undefined
  /** Only events from this time on, in ms since 1970. */
  since: number
  /** Whether to wait for more events. */
  follows: boolean
  signal: AbortSignal
  /** Called when everything that was stored before has been returned. */
  onCaughtUp(): void
}

/** How long to wait at least before the log is read again. */
const pollMs = 400
/** With very many sessions reading takes long: it may use a tenth of the time. */
const pauseShare = 10

/**
 * The events of a data directory, without locking it: those of a server, of a chat or of a loop in
 * another process. The log is read again and again, because that process may have no server.
 */
export async function* tailLog(data: string, options: TailOptions): AsyncGenerator<TailedEvent> {
  const { signal, follows, onCaughtUp } = options
  const progress = new Map<string, Progress>()
  let isFirst = true
  while (!signal.aborted) {
    const start = performance.now()
    const found = await asDataFault(readNew(data, options, progress))
    const pauseMs = Math.max(pollMs, pauseShare * (performance.now() - start))
    yield* found
    if (isFirst) onCaughtUp()
    isFirst = false
    if (!follows) return
    await pause(pauseMs, undefined, { signal }).catch(() => {})
  }
}

/** How far a session was read. */
interface Progress {
  record: SessionRecord
  seq: number
  /** The record when it was read: another one means new events. */
  mark: string
}

const readNew = async (
  data: string,
  { sessionId, since }: TailOptions,
  progress: Map<string, Progress>,
): Promise<TailedEvent[]> => {
  const file = databaseFile(data)
  if (!existsSync(file)) return []
  const reader = openSqliteReader(file)
  try {
    const found: TailedEvent[] = []
    for (const record of await sessionsIn(reader, sessionId, progress)) {
      const before = progress.get(record.id)
      const mark = `${record.updatedAt} ${record.lastActivity}`
      const isUnchanged = before ? before.mark === mark : lastUse(record) < since
      if (isUnchanged && record.state !== 'running' && sessionId === undefined) continue
      let seq = before?.seq ?? 0
      for await (const event of reader.read(record.id, seq)) {
        seq = event.seq
        if (event.timestamp >= since) found.push({ event, agent: record.agent })
      }
      progress.set(record.id, { record, seq, mark })
    }
    return found.sort(byTime)
  } finally {
    await reader.close()
  }
}

const sessionsIn = async (
  reader: LogReader,
  sessionId: string | undefined,
  progress: ReadonlyMap<string, Progress>,
): Promise<SessionRecord[]> => {
  // Of the only session, just the events are needed.
  const known = sessionId === undefined ? undefined : progress.get(sessionId)
  if (known) return [known.record]
  const all = await reader.sessions.list({ limit: Number.MAX_SAFE_INTEGER })
  return sessionId === undefined ? all : all.filter(({ id }) => id === sessionId)
}

const lastUse = ({ lastActivity, updatedAt }: SessionRecord): number =>
  Math.max(lastActivity ?? 0, updatedAt)

/** Events of one session stay in their order, also when the clock was set back. */
const byTime = (left: TailedEvent, right: TailedEvent): number =>
  left.event.sessionId === right.event.sessionId
    ? left.event.seq - right.event.seq
    : left.event.timestamp - right.event.timestamp
