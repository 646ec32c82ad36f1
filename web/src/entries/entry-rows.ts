import type { Block } from '../../../src/events/index.ts'
import { type Entry, listItems, type Thread } from '../../../src/transcript/index.ts'

/** An entry, with a key that identifies it among the others. */
export interface EntryRow {
  readonly key: string
  readonly entry: Entry
}

/** Rows of unchanged entries stay the same objects, so that only changed rows render again. */
const cachedRows = new WeakMap<Entry, EntryRow>()

/** The rows of a conversation: its entries, without those that show nothing. */
export const entryRows = (thread: Thread): EntryRow[] => {
  const entries = listItems(thread.entries)
  const rows: EntryRow[] = []
  entries.forEach((entry, index) => {
    if (!isShown(entry, () => entries.slice(index + 1))) return
    const cached = cachedRows.get(entry)
    const key = keyOf(entry, index)
    const row = cached?.key === key ? cached : { key, entry }
    if (row !== cached) cachedRows.set(entry, row)
    rows.push(row)
  })
  return rows
}

/** A message is not shown if it is empty, or if it only calls tools that have rows of their own. */
const isShown = (entry: Entry, laterEntries: () => readonly Entry[]): boolean => {
  if (entry.kind !== 'message') return true
  const { content, errorMessage } = entry.message
  if (
    errorMessage !== undefined ||
    content.some((block) => !isBlankBlock(block) && !isToolCall(block))
  )
    return true
  if (!entry.isStreaming) return false
  const calls = content.filter(isToolCall)
  return calls.length === 0 || calls.some((call) => !hasEntry(call, laterEntries()))
}

/** Whether a block has no text. */
export const isBlankBlock = (block: Block): boolean =>
  (block.type === 'text' && block.text === '') ||
  (block.type === 'thinking' && typeof block.thinking === 'string' && block.thinking.trim() === '')

const isToolCall = (block: Block): boolean => block.type === 'toolCall'

/** Whether a tool call has its own entry; it gets one behind the message as soon as it runs. */
const hasEntry = (call: Block, laterEntries: readonly Entry[]): boolean =>
  call.type === 'toolCall' &&
  laterEntries.some((entry) => entry.kind === 'tool' && entry.toolCallId === call.id)

/** A key that is unique: agents reuse ids of tool calls, and notices have none. */
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
