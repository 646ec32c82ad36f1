import type { AgentEvent } from '../../events/types.ts'
import { type Fields, isFields } from '../../shared/fields.ts'
import { exceededLimit, mayExceed } from '../../shared/json-shape.ts'
import type { FileSource } from '../sources/file-source.ts'
import { type FileLine, maxLineBytes } from './cut-lines.ts'

/** A line as a value, or what is wrong with it. Undefined if it has nothing that a reader needs. */
export type ParsedLine = { value: Fields; error?: never } | { value?: never; error: AgentEvent }

const limits = { values: 100_000, depth: 1000 } as const
/** By so many bytes at the beginning of a line, it is known whether the line is skipped. */
const beginningBytes = 300

export const parseLine = (
  { bytes, size }: FileLine,
  { isSkipped }: Pick<FileSource, 'isSkipped'>,
): ParsedLine | undefined => {
  if (size === 0) return undefined
  if (!bytes)
    return problem('line_too_long', `A line of ${size} bytes is over ${maxLineBytes} bytes.`, size)
  if (isSkipped?.(bytes.toString('latin1', 0, beginningBytes))) return undefined
  const text = bytes.toString('utf8')
  if (mayExceed(text, limits) && exceededLimit(text, limits))
    return problem('line_too_complex', 'A line has too many values or levels.', size)
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return { value }
  } catch {
    // The same as any other line that is no object.
  }
  return problem('malformed_line', `A line of ${size} bytes is not a JSON object.`, size)
}

const problem = (
  code: 'line_too_long' | 'line_too_complex' | 'malformed_line',
  message: string,
  bytes: number,
): ParsedLine => ({ error: { type: 'error', code, message, fatal: false, bytes } })

/** When a line was written, in ms since 1970. */
export const lineTimeOf = ({ timestamp }: Fields): number | undefined => {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  return Number.isFinite(time) && time > 0 ? time : undefined
}
