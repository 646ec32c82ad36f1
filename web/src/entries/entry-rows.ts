import type { Block } from '../../../src/events/index.ts'
import { type Entry, itemAt, type List, type Thread } from '../../../src/transcript/index.ts'

/** An entry, with a key that identifies it among the others. */
export interface EntryRow {
  readonly key: string
  readonly entry: Entry
}

/** Rows of unchanged entries stay the same objects, so that only changed rows render again. */
const cachedRows = new WeakMap<Entry, EntryRow>()

/** The rows of a conversation: its entries, without those that show nothing. */
export const entryRows = ({ entries }: Thread): EntryRow[] => {
  const { rows, size } = treeRows(entries, entries.root, 0)
  return rows.concat(leafRows(entries, entries.tail, size).rows)
}

/** The rows of consecutive entries. */
interface RowRange {
  readonly rows: readonly EntryRow[]
  /** How many entries they are made of. */
  readonly size: number
  /** Whether later entries can change nothing about them. */
  readonly isFinal: boolean
}

/**
 * The rows of each part of a list. A list shares its parts with the list before it, so that while an
 * answer streams, only the last entries are looked at, however long the conversation is.
 */
const cachedRanges = new WeakMap<List<Entry>['root'], RowRange>()

const treeRows = (entries: List<Entry>, tree: List<Entry>['root'], start: number): RowRange => {
  const cached = cachedRanges.get(tree)
  if (cached) return cached
  const range =
    'values' in tree
      ? leafRows(entries, tree.values, start)
      : joinedRows(entries, tree.branches, start)
  if (range.isFinal) cachedRanges.set(tree, range)
  return range
}

const joinedRows = (
  entries: List<Entry>,
  branches: readonly List<Entry>['root'][],
  start: number,
): RowRange => {
  const parts: RowRange[] = []
  let size = 0
  for (const branch of branches) {
    const part = treeRows(entries, branch, start + size)
    parts.push(part)
    size += part.size
  }
  return {
    rows: parts.flatMap(({ rows }) => rows),
    size,
    isFinal: parts.every(({ isFinal }) => isFinal),
  }
}

const leafRows = (entries: List<Entry>, values: readonly Entry[], start: number): RowRange => ({
  rows: values.flatMap((entry, index) =>
    isShown(entry, entries, start + index) ? [rowOf(entry, start + index)] : [],
  ),
  size: values.length,
  isFinal: !values.some((entry) => entry.kind === 'message' && entry.isStreaming),
})

const rowOf = (entry: Entry, index: number): EntryRow => {
  const cached = cachedRows.get(entry)
  const key = keyOf(entry, index)
  if (cached?.key === key) return cached
  const row = { key, entry }
  cachedRows.set(entry, row)
  return row
}

/** A message is not shown if it is empty, or if it only calls tools that have rows of their own. */
const isShown = (entry: Entry, entries: List<Entry>, index: number): boolean => {
  if (entry.kind !== 'message') return true
  const { content, errorMessage } = entry.message
  if (
    errorMessage !== undefined ||
    content.some((block) => !isBlankBlock(block) && !isToolCall(block))
  )
    return true
  if (!entry.isStreaming) return false
  const calls = content.filter(isToolCall)
  return calls.length === 0 || calls.some((call) => !hasEntry(call, entries, index + 1))
}

/** Whether a block has no text. */
export const isBlankBlock = (block: Block): boolean =>
  (block.type === 'text' && block.text === '') ||
  (block.type === 'thinking' && typeof block.thinking === 'string' && block.thinking.trim() === '')

const isToolCall = (block: Block): boolean => block.type === 'toolCall'

/** Whether a tool call has its own entry; it gets one behind the message as soon as it runs. */
const hasEntry = (call: Block, entries: List<Entry>, from: number): boolean => {
  for (let index = from; index < entries.length; index += 1) {
    const entry = itemAt(entries, index)
    if (call.type === 'toolCall' && entry?.kind === 'tool' && entry.toolCallId === call.id)
      return true
  }
  return false
}

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
