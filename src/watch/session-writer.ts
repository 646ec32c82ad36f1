import { createOpenState } from '../events/open-state.ts'
import type { AgentEvent, EventOf, Message, StampedEvent } from '../events/types.ts'
import { LogFault } from '../log/log-fault.ts'
import type { SessionRecord } from '../log/types.ts'
import { createAnnotator } from '../session/recording/annotate.ts'
import { createLedgerCheckpoints, loadLedger } from '../session/recording/ledger-checkpoints.ts'
import { createBlobWriter } from '../session/recording/session-recorder.ts'
import { storeApprovals } from '../session/recording/store-approvals.ts'
import { catchErrors } from '../shared/catch-errors.ts'
import { createTurnTracker } from '../turns/turns.ts'
import { createRecordKeeper } from './record-keeper.ts'
import type { AppendOptions, TimedEvents, WatchedSession } from './watched-session.ts'
import type { WatchedSessionsOptions } from './watched-sessions.ts'

/** The only writer of a watched session’s events. */
export interface SessionWriter extends Omit<WatchedSession, 'id' | 'release'> {
  /** Resolves when everything is stored. */
  settled(): Promise<void>
  /** Stores what is left, and accepts nothing more. */
  stop(): Promise<void>
  /** Stores nothing more, not even what is left: another node may write the session now. */
  abandon(): void
}

type WriterOptions = WatchedSessionsOptions & { now(): number }

export const openSessionWriter = async (
  record: SessionRecord,
  options: WriterOptions,
): Promise<SessionWriter> => {
  const { log, now, onError } = options
  const { id: sessionId } = record
  const { ledger, turns, open, ...stored } = await readStored(sessionId, options)
  let { last } = stored
  const annotate = createAnnotator(ledger, turns)
  const blobs = createBlobWriter(log, sessionId)
  const checkpoints = createLedgerCheckpoints(log, sessionId, { ledger, now })
  const keeper = createRecordKeeper(record, options)
  const guarded = catchErrors(onError)
  let queue: Promise<unknown> = Promise.resolve()
  let failure: { cause: unknown } | undefined
  let isAnswered = false

  const stampAll = (parts: readonly TimedEvents[]): StampedEvent[] =>
    parts.flatMap(({ at = now(), events, readUpTo }) => {
      const timestamp = Math.max(at, last.timestamp)
      const stamped = annotate(events).map((event): StampedEvent => {
        last = { seq: last.seq + 1, timestamp }
        open.push(event)
        if (isMainMessage(event)) isAnswered = isAnswer(event.message)
        return { ...blobs.extract(event), sessionId, ...last }
      })
      const end = stamped.at(-1)
      if (end && readUpTo) end.readUpTo = readUpTo
      return stamped
    })

  const write = async (
    parts: readonly TimedEvents[],
    { isPast = false, isLost = false }: AppendOptions,
  ): Promise<void> => {
    const events = stampAll(parts)
    const end = events.at(-1)
    if (!end) return
    // No event may be durable before the blob that it refers to.
    await blobs.stored()
    await log.append(sessionId, events)
    await storeApprovals(log, events)
    if (events.some(({ type }) => type === 'agent_end') && !open.isRunning()) {
      checkpoints.take(end.seq)
      await checkpoints.write(end.seq)
    }
    const publish = isPast ? options.publishHistory : options.publish
    for (const event of events) guarded(() => publish(event))
    await keeper.onEvents(events, { isRunning: open.isRunning(), isPast, isLost })
  }

  const enqueue = (work: () => Promise<void>): Promise<void> => {
    const done = queue.then(async () => {
      if (failure) throw failure.cause
      try {
        await work()
      } catch (cause) {
        // What is in memory is ahead of the log now.
        failure = { cause }
        throw cause
      }
    })
    queue = done.catch(() => {})
    return done
  }
  return {
    append: (parts, appendOptions = {}) => enqueue(() => write(parts, appendOptions)),
    update: (change) => enqueue(() => keeper.update(change)),
    isRunning: () => open.isRunning(),
    isAnswered: () => isAnswered && open.size() === 0,
    settled: async () => void (await queue),
    async stop() {
      await queue
      if (!failure) await keeper.flush().catch(onError)
      failure ??= { cause: new Error(`The session ${sessionId} is no longer watched.`) }
    },
    abandon() {
      failure ??= { cause: writtenElsewhere(sessionId) }
    },
  }
}

const writtenElsewhere = (sessionId: string): LogFault =>
  new LogFault('fenced', `Another node may write session ${sessionId} now.`)

const isMainMessage = (event: AgentEvent): event is EventOf<'message_end'> =>
  event.type === 'message_end' && event.parentToolCallId === undefined

/** Whether an agent that has written a message has nothing more to do. */
const isAnswer = ({ role, content }: Message): boolean =>
  role === 'assistant' && content.every(({ type }) => type !== 'toolCall')

/** What the stored events of a session come to. */
const readStored = async (sessionId: string, { log, prices }: WriterOptions) => {
  const turns = createTurnTracker()
  const open = createOpenState()
  let last: Pick<StampedEvent, 'seq' | 'timestamp'> | undefined
  const ledger = await loadLedger(log, sessionId, {
    prices: await prices?.(),
    async *read(after) {
      // No run is open at a checkpoint, so what comes before it is not needed.
      for await (const event of log.read(sessionId, after)) {
        turns.push(event)
        open.push(event)
        last = event
        yield event
      }
    },
  })
  return { ledger, turns, open, last: last ?? (await lastEventOf(log, sessionId)) }
}

const lastEventOf = async (
  log: WatchedSessionsOptions['log'],
  sessionId: string,
): Promise<Pick<StampedEvent, 'seq' | 'timestamp'>> => {
  const head = await log.head(sessionId)
  for await (const event of log.read(sessionId, Math.max(0, head - 1))) return event
  return { seq: head, timestamp: 0 }
}
