import type { AgentEvent, ErrorCode } from '../events/types.ts'
import {
  createLineReader,
  portableTextReader,
  type Shortcut,
  type TextReader,
} from '../lines/index.ts'
import { exceededLimit, mayExceed } from '../shared/json-shape.ts'
import type { DecoderOptions, ProcessExit, StreamFormat } from './agent.ts'
import { createTextStream } from './text-stream.ts'

/** Decodes the bytes of an agent’s stdout: lines, JSON and decoder in one. */
export interface AgentStream {
  /** Decodes a chunk of bytes. */
  push(chunk: Uint8Array): AgentEvent[]
  /** Stdout has closed: returns the events that close everything that is still open. */
  end(exit?: ProcessExit): AgentEvent[]
  /** How many lines and events went through so far. */
  counts(): StreamCounts
}

export interface CreateStreamOptions extends DecoderOptions {
  /** Longest line in bytes; a longer one is skipped. */
  limit?: number
  /** How bytes become text; the reader for Node is faster than the portable default. */
  reader?: TextReader
  /** False parses every line whole. */
  shortcut?: boolean
  lineTap?: LineTap
}

/** Receives the lines of an agent as values, complete, before they are decoded. */
export interface LineTap {
  /** Whether lines are wanted. While they are, every line is parsed whole. */
  isWanted(): boolean
  push(line: unknown): void
}

export interface StreamCounts {
  lines: number
  empty: number
  events: number
  /** Lines that the decoder does not recognise. */
  raw: number
  /** Lines that are not JSON, nested too deep, or with too many values. */
  malformed: number
  /** Lines over the limit. */
  oversize: number
  /** 1 if the stream ended inside a line. */
  torn: number
}

/**
 * No agent sends more in one line. `JSON.stringify` fails at some thousand levels, and a million
 * values would hold up all other sessions for many seconds.
 */
const shapeLimits = { values: 100_000, depth: 1000 } as const

export const createStream = (
  format: StreamFormat,
  options: CreateStreamOptions = {},
): AgentStream => {
  if (format.isText) return createTextStream(format, options)
  const decoder = format.createDecoder(options)
  const { lineTap } = options
  const shortcut = options.shortcut === false ? undefined : shortcutOf(format, lineTap)
  const counts = { events: 0, raw: 0, malformed: 0, oversize: 0, torn: 0 }
  let events: AgentEvent[] = []

  const collect = (decoded: readonly AgentEvent[]) => {
    for (const event of decoded) {
      events.push(event)
      if (event.type === 'raw') counts.raw += 1
    }
  }

  const fail = (code: ErrorCode, message: string, bytes: number) =>
    events.push({ type: 'error', code, message, fatal: false, bytes })

  /** False if the text is not JSON. */
  const decode = (text: string): boolean => {
    const exceeded = mayExceed(text, shapeLimits) ? exceededLimit(text, shapeLimits) : undefined
    if (exceeded) {
      counts.malformed += 1
      const { code, message } = tooComplex[exceeded]
      fail(code, message, bytesOf(text))
      return true
    }
    let line: unknown
    try {
      line = JSON.parse(text)
    } catch {
      return false
    }
    if (lineTap?.isWanted()) lineTap.push(line)
    collect(decoder.push(line))
    return true
  }

  const malformed = (size: number) => {
    counts.malformed += 1
    fail('malformed_line', `A line of ${size} bytes is not JSON.`, size)
  }

  const reader = createLineReader<unknown>(
    {
      line(text) {
        if (!decodeAny(text, decode, format)) malformed(bytesOf(text))
      },
      value(value) {
        collect(decoder.push(value))
      },
      malformed,
      oversize(size) {
        counts.oversize += 1
        fail('line_too_long', `A line of ${size} bytes is over the limit and was skipped.`, size)
      },
      torn(size, text) {
        // A last line without LF may still be complete.
        if (text !== undefined && decodeAny(text, decode, format)) return
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

  const take = (): AgentEvent[] => {
    const taken = events
    events = []
    counts.events += taken.length
    return taken
  }

  return {
    push(chunk) {
      reader.push(chunk)
      return take()
    },
    end(exit) {
      reader.end()
      collect(decoder.end(exit))
      return take()
    },
    counts: () => ({ ...reader.counts(), ...counts }),
  }
}

/** Decodes a line, or the JSON that it carries inside another format. */
const decodeAny = (
  text: string,
  decode: (json: string) => boolean,
  { unwrapLine }: StreamFormat,
): boolean => {
  if (decode(text)) return true
  const inner = unwrapLine?.(text)
  return inner !== undefined && (inner === '' || decode(inner))
}

/** The shortcut of a format, which reads no line while whole lines are wanted. */
const shortcutOf = (
  format: StreamFormat,
  lineTap: LineTap | undefined,
): Shortcut<unknown> | undefined => {
  const shortcut = format.createShortcut?.()
  if (!shortcut || !lineTap) return shortcut
  return {
    read: (segment, start, end, isWhole) =>
      lineTap.isWanted() ? undefined : shortcut.read(segment, start, end, isWhole),
  }
}

const tooComplex = {
  depth: {
    code: 'line_too_deep',
    message: `A line has over ${shapeLimits.depth} levels and was skipped.`,
  },
  values: {
    code: 'line_too_complex',
    message: `A line has over ${shapeLimits.values} values and was skipped.`,
  },
} as const

const bytesOf = (text: string): number => new TextEncoder().encode(text).length
