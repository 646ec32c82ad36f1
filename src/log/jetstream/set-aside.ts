import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalWrite } from './journal-record.ts'

/** Stores what cannot be appended any more in a file that people can read: a line of JSON per event. */
export type SetAside = (writes: readonly JournalWrite[]) => string

/** Returns a function that adds writes of one session to its file, and returns the path. */
export const createSetAside = (directory: string, now: () => number = Date.now): SetAside => {
  const startedAt = new Date(now()).toISOString().replaceAll(':', '')
  return (writes) => {
    const id = encodeURIComponent(writes[0]?.sessionId ?? 'unknown')
    const path = join(directory, `aside-${id}-${startedAt}.jsonl`)
    const lines = writes.flatMap(linesOf).map((line) => `${line}\n`)
    appendFileSync(path, lines.join(''), { mode: 0o600, flush: true })
    return path
  }
}

const linesOf = (write: JournalWrite): readonly string[] => {
  if (write.kind === 'events') return write.texts
  const { bytes, ...about } = write
  return [JSON.stringify({ ...about, base64: Buffer.from(bytes).toString('base64') })]
}
