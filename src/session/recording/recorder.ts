import { createStamp } from '../../events/stamp.ts'
import type { AgentEvent, EventOf, StampedEvent } from '../../events/types.ts'
import type { WriteQueue } from '../../log/write-queue.ts'
import { Fault } from '../../shared/fault.ts'
import { type Backlog, type BacklogLimits, createBacklog, type Pressure } from './backlog.ts'
import { createBatchWriter } from './batch-writer.ts'

export interface RecorderOptions {
  sessionId: string
  /** The seq of the last stored event. */
  after: number
  now(): number
  /** Makes an event small enough to be stored and published. */
  prepare?(event: AgentEvent): AgentEvent
  /** Stores a batch; resolves when the batch is durable. */
  append(events: readonly StampedEvent[]): Promise<void>
  /** Called for each event, in order, once it is durable. */
  publish(event: StampedEvent): void
  /** Called once, when the log fails. Later events are dropped: nobody could read them again. */
  onFailure(cause: unknown): void
  /** How much may wait for the log. */
  limits?: BacklogLimits
  /** Present when batches may be appended before earlier ones are stored. */
  queue?: RecorderQueue | undefined
}

/** How a log queues batches that it cannot store yet. */
export interface RecorderQueue extends Pick<WriteQueue, 'isFull' | 'onFull'> {
  /** Resolves when what was appended is stored, or is in the journal of the log. */
  flushed(): Promise<void>
}

/**
 * Stamps events, stores them, and then publishes them. Pushing never waits: while one batch is
 * written, the next ones gather, so a slow disk makes larger batches. When too much waits, the
 * recorder reports pressure, and its source must pause. A source that goes on gets a failed recorder.
 */
export interface Recorder {
  push(events: readonly AgentEvent[]): void
  /**
   * Calls a listener whenever the pressure changes, until the returned function is called: `half` and
   * `full` at these parts of the limit, `low` when less than a quarter waits.
   */
  watchPressure(listener: (pressure: Pressure) => void): () => void
  /** How much waits now. */
  pressure(): Pressure
  /** Resolves when everything pushed so far is durable and published. */
  settled(): Promise<void>
  /** The seq of the last event that was stamped. */
  lastSeq(): number
  /**
   * Waits like `settled`. Nothing may be pushed afterwards. With `isLast`, it is enough that everything is
   * in the journal of the log: the next process stores and publishes it.
   */
  close(isLast?: boolean): Promise<void>
}

export const createRecorder = (options: RecorderOptions): Recorder => {
  const { queue, append, publish } = options
  const stamp = createStamp(options.sessionId, options.now, options.after)
  const backlog = createBacklog(options.limits)
  let hasFailed = false
  let lastSeq = options.after

  const fail = (cause: unknown): void => {
    if (hasFailed) return
    hasFailed = true
    writer.stop()
    backlog.clear()
    options.onFailure(cause)
  }

  const writer = createBatchWriter({
    ...{ backlog, append, publish, onFailure: fail, isQueued: queue !== undefined },
  })

  const joiner = createJoiner((events) => {
    if (hasFailed) return
    for (const event of events) backlog.push(stamp(options.prepare?.(event) ?? event))
    lastSeq += events.length
    writer.start()
    // The batch that is being written is still published; what waits behind it is dropped.
    if (backlog.isOverfull()) fail(new Fault('log_too_slow', tooSlow(backlog.size())))
  })

  const settled = (): Promise<void> => {
    joiner.flush()
    return writer.settled()
  }

  return {
    push(events) {
      for (const event of events) joiner.push(event)
    },
    ...(queue ? withQueue(backlog, queue) : pressureOf(backlog)),
    settled,
    lastSeq: () => lastSeq,
    async close(isLast = false) {
      joiner.close()
      if (isLast) void queue?.flushed().then(writer.release)
      await settled()
    },
  }
}

const pressureOf = ({ pressure, watch }: Pick<Backlog, 'pressure' | 'watch'>) => ({
  pressure,
  watchPressure: watch,
})

/** The pressure of a backlog, and of the queue of the log behind it. */
const withQueue = (
  backlog: Pick<Backlog, 'pressure' | 'watch'>,
  queue: RecorderQueue,
): Pick<Recorder, 'pressure' | 'watchPressure'> => {
  const pressure = (): Pressure => (queue.isFull() ? 'full' : backlog.pressure())
  return {
    pressure,
    watchPressure(listener) {
      const notify = (): void => listener(pressure())
      const unsubscribes = [backlog.watch(notify), queue.onFull(notify)]
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe()
      }
    },
  }
}

const tooSlow = (count: number): string =>
  `The log cannot keep up: ${count} events are waiting to be written.`

/** How long deltas may wait to be joined: one frame of a screen. */
const frameMs = 16

/**
 * Joins deltas that arrive within one frame into one event, so that a fast model does not make a
 * thousand events of a paragraph. The first delta is emitted at once. So is an event of any other
 * kind, after the deltas that wait: the order never changes.
 */
export interface Joiner {
  push(event: AgentEvent): void
  /** Emits what waits, at once. */
  flush(): void
  /** Emits what waits and stops the timer. Nothing may be pushed afterwards. */
  close(): void
}

export const createJoiner = (
  emit: (events: AgentEvent[]) => void,
  schedule: (run: () => void) => () => void = afterFrame,
): Joiner => {
  let waiting: AgentEvent[] = []
  let cancel: (() => void) | undefined

  const openFrame = () => {
    cancel = schedule(() => {
      cancel = undefined
      if (waiting.length === 0) return
      flush()
      openFrame()
    })
  }

  const flush = () => {
    const events = waiting
    waiting = []
    if (events.length > 0) emit(events)
  }

  const add = (event: AgentEvent) => {
    const last = waiting.at(-1)
    const joined = last && joinDeltas(last, event)
    if (joined) waiting[waiting.length - 1] = joined
    else waiting.push(event)
  }

  return {
    push(event) {
      add(event)
      const isFrameOpen = cancel !== undefined
      if (!isDelta(event)) flush()
      else if (!isFrameOpen) {
        flush()
        openFrame()
      }
    },
    flush,
    close() {
      flush()
      cancel?.()
      cancel = undefined
    },
  }
}

const afterFrame = (run: () => void) => {
  const timer = setTimeout(run, frameMs)
  return () => clearTimeout(timer)
}

/** Whether an event only adds to a text. */
export const isDelta = (event: AgentEvent): boolean => {
  if (event.type === 'tool_execution_update') return true
  if (event.type !== 'message_update') return false
  const { type } = event.assistantMessageEvent
  return type === 'text_delta' || type === 'thinking_delta' || type === 'tool_use_input_delta'
}

/** Two deltas of one block or one tool as one event; undefined if they are not that. */
const joinDeltas = (left: AgentEvent, right: AgentEvent): AgentEvent | undefined => {
  if (left.type === 'message_update' && right.type === 'message_update')
    return joinUpdates(left, right)
  if (left.type !== 'tool_execution_update' || right.type !== 'tool_execution_update')
    return undefined
  if (left.toolCallId !== right.toolCallId || right.gap) return undefined
  return { ...left, outputDelta: left.outputDelta + right.outputDelta }
}

const joinUpdates = (
  left: EventOf<'message_update'>,
  right: EventOf<'message_update'>,
): AgentEvent | undefined => {
  const before = left.assistantMessageEvent
  const now = right.assistantMessageEvent
  if (left.messageId !== right.messageId || before.type !== now.type) return undefined
  if (before.type === 'tool_use_input_delta' && now.type === 'tool_use_input_delta') {
    if (before.toolCallId !== now.toolCallId) return undefined
    const partialInput = before.partialInput + now.partialInput
    return { ...left, assistantMessageEvent: { ...before, partialInput } }
  }
  const isText = before.type === 'text_delta' || before.type === 'thinking_delta'
  if (!isText || (now.type !== 'text_delta' && now.type !== 'thinking_delta')) return undefined
  if (before.contentIndex !== now.contentIndex) return undefined
  return { ...left, assistantMessageEvent: { ...before, delta: before.delta + now.delta } }
}
