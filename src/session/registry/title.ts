import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import type { RecordChange } from '../conversation/session-deps.ts'

/** The length of a title in characters, including the ellipsis. */
const maxLength = 80
const lineEnd = /[\r\n\u2028\u2029]/
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** The title of a session by its first prompt; undefined if the prompt has no visible text. */
export const titleOf = (prompt: string): string | undefined => {
  const line = prompt.split(lineEnd).find((each) => visible.test(each))
  if (line === undefined) return undefined
  // Control characters too: a title must not control a terminal.
  const title = line.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  // By code points, so that no surrogate pair is cut in half.
  const characters = Array.from(title)
  return characters.length <= maxLength ? title : `${cutAtWord(characters)}…`
}

/** As much as fits, up to the end of a word unless that word is very long. */
const cutAtWord = (characters: readonly string[]): string => {
  const end = characters.lastIndexOf(' ', maxLength - 1)
  return characters.slice(0, end > maxLength / 2 ? end : maxLength - 1).join('')
}

export interface TitlerOptions {
  log: Log
  record: SessionRecord
  /** The seq of the last stored event. */
  head: number
  onRecord(change: RecordChange): void
}

/** Returns a function to call with each prompt: the first prompt of a session becomes its title. */
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

/** Whether the session has had a prompt. Few events can come before the first one. */
const hasRun = async (log: Log, id: string): Promise<boolean> => {
  for await (const { type } of log.read(id, 0, 100)) if (type === 'agent_start') return true
  return false
}
