import type { Block } from '../../../src/events/index.ts'
import { type Entry, items, type Thread } from '../../../src/transcript/index.ts'

/** An entry and how it is found again. */
export interface EntryRow {
  readonly key: string
  readonly entry: Entry
}

/** Rows that are as they were before stay the same objects, so that only others are drawn. */
const known = new WeakMap<Entry, EntryRow>()

/** The rows of a conversation. */
export const entryRows = (thread: Thread): EntryRow[] => {
  const entries = items(thread.entries)
  const rows: EntryRow[] = []
  entries.forEach((entry, index) => {
    if (!isShown(entry, () => entries.slice(index + 1))) return
    const before = known.get(entry)
    const key = keyOf(entry, index)
    const row = before?.key === key ? before : { key, entry }
    if (row !== before) known.set(entry, row)
    rows.push(row)
  })
  return rows
}

/** A message that says nothing, or only calls what has a row of its own, needs none. */
const isShown = (entry: Entry, behind: () => readonly Entry[]): boolean => {
  if (entry.kind !== 'message') return true
  const { content, errorMessage } = entry.message
  if (errorMessage !== undefined || content.some((block) => !isBlank(block) && !isCall(block)))
    return true
  if (!entry.isStreaming) return false
  const calls = content.filter(isCall)
  return calls.length === 0 || calls.some((block) => isNew(block, behind()))
}

/** A block without a word. */
export const isBlank = (block: Block): boolean =>
  (block.type === 'text' && block.text === '') ||
  (block.type === 'thinking' && typeof block.thinking === 'string' && block.thinking.trim() === '')

const isCall = (block: Block): boolean => block.type === 'toolCall'

/** A call that is still being written: its tool stands behind the message as soon as it runs. */
const isNew = (block: Block, behind: readonly Entry[]): boolean =>
  block.type === 'toolCall' &&
  !behind.some((entry) => entry.kind === 'tool' && entry.toolCallId === block.id)

/** Ids of calls may come again; what has none is known by its place. */
const keyOf = (entry: Entry, index: number): string => {
  switch (entry.kind) {
    case 'message':
      return `m-${entry.messageId}`
    case 'tool':
      return `t-${entry.toolCallId}-${entry.startedAt ?? index}`
    case 'notice':
      return `n-${entry.startedAt ?? ''}-${index}`
  }
}
