import type { EventType, StampedEvent } from '../../events/types.ts'
import { jsonSize } from '../../log/blobs/size.ts'

/** How much may wait for the log. */
export interface BacklogLimits {
  events: number
  bytes: number
}

/** How much waits for the log: little, half of the limit, or all that may wait. */
export type Pressure = 'low' | 'half' | 'full'

const defaultLimits: BacklogLimits = { events: 50_000, bytes: 64 * 1024 * 1024 }
/** What one write may hold, so that it does not block the event loop for long. */
const batchLimits: BacklogLimits = { events: 2048, bytes: 1024 * 1024 }
/** What one write may hold while each takes longer than `slowMs`: fewer writes wait for the disk. */
const slowBatchLimits: BacklogLimits = { events: 8192, bytes: 4 * 1024 * 1024 }
const slowMs = 50

/** Events that are written together. */
export interface Batch {
  events: StampedEvent[]
  bytes: number
}

/** The events that are not stored yet, in batches. */
export interface Backlog {
  push(event: StampedEvent): void
  /** Takes the next batch. It counts as waiting until it is written. */
  next(): Batch | undefined
  /** A batch is stored and published. */
  written(batch: Batch): void
  clear(): void
  /** Whether the source goes on although twice the limit waits. */
  isOverfull(): boolean
  /** Whether so much waits that writing it takes noticeable time. */
  isLarge(): boolean
  /** How many events wait. */
  size(): number
  pressure(): Pressure
  /** Calls a listener whenever the pressure changes, until the returned function is called. */
  watch(listener: (pressure: Pressure) => void): () => void
}

export const createBacklog = (limits: BacklogLimits = defaultLimits): Backlog => {
  const listeners = new Set<(pressure: Pressure) => void>()
  let batches: Batch[] = []
  let count = 0
  let bytes = 0
  let pressure: Pressure = 'low'
  let most = batchLimits
  let startedAt = 0

  const update = (): void => {
    const part = Math.max(count / limits.events, bytes / limits.bytes)
    const next = part >= 1 ? 'full' : part >= (pressure === 'low' ? 0.5 : 0.25) ? 'half' : 'low'
    if (next === pressure) return
    pressure = next
    for (const listener of listeners) listener(pressure)
  }

  /** Adds the batches that follow, as long as they fit: they were made when the disk was faster. */
  const joinNext = (batch: Batch): void => {
    const fits = (next: Batch): boolean =>
      batch.events.length + next.events.length <= most.events &&
      batch.bytes + next.bytes <= most.bytes
    for (let next = batches[0]; next && fits(next); next = batches[0]) {
      batches.shift()
      for (const event of next.events) batch.events.push(event)
      batch.bytes += next.bytes
    }
  }

  return {
    push(event) {
      const size = sizeOf(event, count)
      let last = batches.at(-1)
      if (!last || last.events.length >= most.events || last.bytes >= most.bytes) {
        last = { events: [], bytes: 0 }
        batches.push(last)
      }
      last.events.push(event)
      last.bytes += size
      count += 1
      bytes += size
      update()
    },
    next() {
      startedAt = performance.now()
      const first = batches.shift()
      if (first && most === slowBatchLimits) joinNext(first)
      return first
    },
    written(batch) {
      most = performance.now() - startedAt > slowMs ? slowBatchLimits : batchLimits
      count -= batch.events.length
      bytes -= batch.bytes
      update()
    },
    clear() {
      batches = []
      count = 0
      bytes = 0
      update()
    },
    isOverfull: () => count > 2 * limits.events || bytes > 2 * limits.bytes,
    isLarge: () => bytes >= batchLimits.bytes,
    size: () => count,
    pressure: () => pressure,
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** What the fields of an event take besides its text. */
const envelopeBytes = 200

/** Up to so many waiting events, those that cannot be large are not measured. */
const unmeasured = 256

/** Events without a text of any length: their payloads are small, or were moved to blobs. */
const boundedTypes: ReadonlySet<string> = new Set([
  'message_start',
  'tool_call',
  'tool_execution_start',
  'tool_execution_end',
  'tool_result',
  'turn_start',
  'turn_end',
  'turn_state',
  'usage_update',
] satisfies EventType[])

/** About how many bytes an event has. Most events are deltas, so these must cost little here. */
const sizeOf = (event: StampedEvent, waiting: number): number => {
  if (event.type === 'message_update' && 'delta' in event.assistantMessageEvent)
    return envelopeBytes + event.assistantMessageEvent.delta.length
  return waiting < unmeasured && boundedTypes.has(event.type) ? envelopeBytes : jsonSize(event)
}
