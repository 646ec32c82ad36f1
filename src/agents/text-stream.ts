import type { AgentEvent } from '../events/types.ts'
import type { DecoderOptions, StreamFormat } from './agent.ts'
import type { AgentStream } from './stream.ts'

/**
 * Decodes the stdout of a program that prints text. Bytes that are no UTF-8 become U+FFFD; a character
 * that is split over chunks is held back until it is complete.
 */
export const createTextStream = (format: StreamFormat, options: DecoderOptions): AgentStream => {
  const decoder = format.createDecoder(options)
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const counts = { lines: 0, empty: 0, events: 0, raw: 0, malformed: 0, oversize: 0, torn: 0 }

  const decode = (text: string): AgentEvent[] => {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) counts.lines += 1
    return text === '' ? [] : decoder.push(text)
  }

  const count = (events: AgentEvent[]): AgentEvent[] => {
    counts.events += events.length
    return events
  }

  return {
    push: (chunk) => count(decode(utf8.decode(chunk, { stream: true }))),
    end: (exit) => count([...decode(utf8.decode()), ...decoder.end(exit)]),
    counts: () => ({ ...counts }),
  }
}
