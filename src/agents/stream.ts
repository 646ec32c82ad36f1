import type { ErrorCode } from '../events/error-codes.ts'
import type { AgentEvent } from '../events/event.ts'
import { createLineReader, type ReadText, readText } from '../lines/index.ts'
import type { Agent, DecoderOptions } from './agent.ts'

export interface StreamOptions extends DecoderOptions {
  /** Longest line in bytes. */
  limit?: number
  readText?: ReadText
  /** False reads every line whole. */
  shortcut?: boolean
}

/** What went through a stream, good and bad. */
export interface StreamCounts {
  lines: number
  empty: number
  events: number
  raw: number
  malformed: number
  oversize: number
  torn: number
}

/** Bytes of an agent’s stdout in, events out: lines, JSON and decoder in one. */
export const createStream = (agent: Agent, options: StreamOptions = {}) => {
  const text = options.readText ?? readText
  const decoder = agent.createDecoder(options)
  const counts = { events: 0, raw: 0, malformed: 0, oversize: 0, torn: 0 }
  let events: AgentEvent[] = []

  const take = (decoded: readonly AgentEvent[]) => {
    for (const event of decoded) {
      events.push(event)
      if (event.type === 'raw') counts.raw += 1
    }
  }

  const fail = (code: ErrorCode, message: string, bytes: number) =>
    events.push({ type: 'error', code, message, fatal: false, bytes })

  const parse = (bytes: Uint8Array, start: number, end: number): boolean => {
    let line: unknown
    try {
      line = JSON.parse(text(bytes, start, end))
    } catch {
      return false
    }
    take(decoder.push(line))
    return true
  }

  const malformed = (size: number) => {
    counts.malformed += 1
    fail('malformed_line', `A line of ${size} bytes is not JSON.`, size)
  }

  const shortcut = options.shortcut === false ? undefined : agent.createShortcut?.(text)
  const reader = createLineReader<unknown>(
    {
      line(bytes, start, end) {
        if (!parse(bytes, start, end)) malformed(end - start)
      },
      value(value) {
        take(decoder.push(value))
      },
      malformed,
      oversize(size) {
        counts.oversize += 1
        fail('line_too_long', `A line of ${size} bytes is over the limit and was skipped.`, size)
      },
      torn(size, bytes) {
        // A last line without LF may still be whole.
        if (bytes && parse(bytes, 0, bytes.length)) return
        counts.torn += 1
        fail('torn_line', `The stream ended inside a line, after ${size} bytes of it.`, size)
      },
    },
    { ...(options.limit !== undefined && { limit: options.limit }), ...(shortcut && { shortcut }) },
  )

  const handOver = (): AgentEvent[] => {
    const done = events
    events = []
    counts.events += done.length
    return done
  }

  return {
    push(chunk: Uint8Array): AgentEvent[] {
      reader.push(chunk)
      return handOver()
    },
    end(): AgentEvent[] {
      reader.end()
      take(decoder.end())
      return handOver()
    },
    counts: (): StreamCounts => ({ ...reader.counts(), ...counts }),
  }
}
