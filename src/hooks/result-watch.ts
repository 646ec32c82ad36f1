import type { AgentHooks, CallOutcome } from '../agents/hooks.ts'
import { readFilePart } from '../files/read-file-part.ts'
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
  let rest = ''
  let isLooking = false
  let isStopped = false

  const look = async (): Promise<void> => {
    const limit = offset === undefined ? bytesBefore : maxBytes
    const part = await readFilePart(path, { from: offset, maxBytes: limit })
    if (typeof part === 'string' || isStopped) return
    // A file that has become smaller was written anew.
    const isNew = offset !== undefined && part.size < offset
    offset = isNew ? undefined : part.next
    const lines = (isNew ? '' : rest + part.text).split('\n')
    const last = lines.pop() ?? ''
    rest = last.length > maxBytes ? '' : last
    for (const line of lines) {
      const result = line.includes(callId) ? resultOf(fieldsOf(parsed(line)), callId) : undefined
      if (result === undefined) continue
      stop()
      onResult(result)
      return
    }
  }
  const lookOnce = (): void => {
    if (isLooking) return
    isLooking = true
    look()
      // The next look may succeed.
      .catch(() => {})
      .finally(() => {
        isLooking = false
      })
  }
  const timer = setInterval(lookOnce, lookMs).unref()
  const stop = (): void => {
    isStopped = true
    clearInterval(timer)
  }
  lookOnce()
  return stop
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
