import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import type { RecordChange } from '../conversation/session-deps.ts'

/** So many characters at most, with the sign that there is more. */
const most = 80
const lineEnd = /[\r\n\u2028\u2029]/
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** What a session is called after its first prompt; undefined where that has no words. */
export const titleOf = (prompt: string): string | undefined => {
  const line = prompt.split(lineEnd).find((each) => visible.test(each))
  if (line === undefined) return undefined
  // Control characters too: a title must not steer a terminal.
  const words = line.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  // Whole characters, not their halves.
  const letters = Array.from(words)
  return letters.length <= most ? words : `${atWord(letters)}…`
}

/** As much as there is room for, up to the end of a word unless it is a very long one. */
const atWord = (letters: readonly string[]): string => {
  const end = letters.lastIndexOf(' ', most - 1)
  return letters.slice(0, end > most / 2 ? end : most - 1).join('')
}

export interface TitlerOptions {
  log: Log
  record: SessionRecord
  /** Events that are in the log already. */
  head: number
  onRecord(change: RecordChange): void
}

/** Gives what is to be told of each prompt: the first one of a session becomes its title. */
export const createTitler = async ({
  log,
  record,
  head,
  onRecord,
}: TitlerOptions): Promise<(prompt: string) => void> => {
  let isFirst = record.title === undefined && (head === 0 || !(await hasRun(log, record.id)))
  return (prompt) => {
    const title = isFirst ? titleOf(prompt) : undefined
    isFirst = false
    if (title !== undefined) onRecord({ title })
  }
}

/** Whether there was a prompt before. What may come before the first one is little. */
const hasRun = async (log: Log, id: string): Promise<boolean> => {
  for await (const { type } of log.read(id, 0, 100)) if (type === 'agent_start') return true
  return false
}
