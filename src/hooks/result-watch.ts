import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { AgentHooks, CallOutcome } from '../agents/hooks.ts'
import { fieldsOf } from '../shared/fields.ts'

export interface ResultWatchOptions {
  /** The agent’s session file, as its hook names it. */
  path: string
  callId: string
  resultOf: NonNullable<AgentHooks['resultOf']>
  /** Called once, when the file has the result of the call. */
  onResult(result: CallOutcome): void
}

const lookMs = 300
/** How much is read at a time, and how long a line may be. */
const maxBytes = 1024 * 1024
/** What was written shortly before the question may be its result already. */
const bytesBefore = 64 * 1024

/**
 * Looks for the result of a call in the agent’s session file, until the returned function is called. Only
 * this shows a refusal in the terminal: no hook runs then. The file may be anything: it is never waited
 * for, and only new lines of a regular file are read.
 */
export const watchResult = (options: ResultWatchOptions): (() => void) => {
  const { path, callId, resultOf, onResult } = options
  let offset: number | undefined
  let rest = Buffer.alloc(0)

  const look = (): void => {
    const added = readFrom(path, offset)
    if (!added) return
    offset = added.end
    const bytes = Buffer.concat([rest, added.bytes])
    const end = bytes.lastIndexOf(10) + 1
    rest = bytes.length - end > maxBytes ? Buffer.alloc(0) : Buffer.from(bytes.subarray(end))
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      const result = line.includes(callId) ? resultOf(fieldsOf(parsed(line)), callId) : undefined
      if (result === undefined) continue
      stop()
      onResult(result)
      return
    }
  }
  const timer = setInterval(look, lookMs).unref()
  const stop = (): void => clearInterval(timer)
  look()
  return stop
}

const readFrom = (
  path: string,
  offset: number | undefined,
): { bytes: Buffer; end: number } | undefined => {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch {
    return undefined
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return undefined
    // A file that has become smaller was written anew.
    const start = offset === undefined || offset > stats.size ? stats.size - bytesBefore : offset
    const from = Math.max(0, start)
    const bytes = Buffer.alloc(Math.min(stats.size - from, maxBytes))
    const length = readSync(file, bytes, 0, bytes.length, from)
    return { bytes: bytes.subarray(0, length), end: from + length }
  } catch {
    return undefined
  } finally {
    closeSync(file)
  }
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
