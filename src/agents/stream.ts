import type { AgentEvent, ErrorCode } from '../events/types.ts'
import { createLineReader, portableTextReader, type TextReader } from '../lines/index.ts'
import { isDeeperThan, mayBeDeeperThan } from '../shared/depth.ts'
import type { Agent, DecoderOptions } from './agent.ts'

export interface CreateStreamOptions extends DecoderOptions {
  /** Longest line in bytes. */
  limit?: number
  reader?: TextReader
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

/** No agent nests deeper; `JSON.stringify` gives up at some thousand levels. */
const depthLimit = 1000

/** Bytes of an agent’s stdout in, events out: lines, JSON and decoder in one. */
export const createStream = (agent: Agent, options: CreateStreamOptions = {}) => {
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

  const parse = (text: string): boolean => {
    let line: unknown
    try {
      line = JSON.parse(text)
    } catch {
      return false
    }
    if (mayBeDeeperThan(text, depthLimit) && isDeeperThan(line, depthLimit)) {
      counts.malformed += 1
      fail('line_too_deep', `A line has over ${depthLimit} levels and was skipped.`, sizeOf(text))
      return true
    }
    take(decoder.push(line))
    return true
  }

  const malformed = (size: number) => {
    counts.malformed += 1
    fail('malformed_line', `A line of ${size} bytes is not JSON.`, size)
  }

  const shortcut = options.shortcut === false ? undefined : agent.createShortcut?.()
  const reader = createLineReader<unknown>(
    {
      line(text) {
        if (!parse(text)) malformed(sizeOf(text))
      },
      value(value) {
        take(decoder.push(value))
      },
      malformed,
      oversize(size) {
        counts.oversize += 1
        fail('line_too_long', `A line of ${size} bytes is over the limit and was skipped.`, size)
      },
      torn(size, text) {
        // A last line without LF may still be whole.
        if (text !== undefined && parse(text)) return
        counts.torn += 1
        fail('torn_line', `The stream ended inside a line, after ${size} bytes of it.`, size)
      },
    },
    {
      reader: options.reader ?? portableTextReader,
      ...(options.limit !== undefined && { limit: options.limit }),
      ...(shortcut && { shortcut }),
    },
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

const sizeOf = (text: string): number => new TextEncoder().encode(text).length
