import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import type { ClaudeParts } from './parts.ts'
import { noticeEvent } from './system.ts'
import { blocksOf, textOfBlocks } from './wire.ts'

/** Decodes a `user` line: results of tools, and what the person or the program wrote. */
export const decodeUser = (parts: ClaudeParts, line: Fields) => {
  parts.compaction.note(line)
  const { content } = fieldsOf(line.message)
  const written: unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : []
  for (const item of listOf(content)) {
    if (fieldsOf(item).type === 'tool_result') toolResult(parts, line, fieldsOf(item))
    else written.push(item)
  }
  if (written.length > 0) userMessage(parts, line, written)
}

const toolResult = ({ run, permissions, tools }: ClaudeParts, line: Fields, block: Fields) => {
  run.act()
  permissions.answered(stringOf(block.tool_use_id))
  tools.result(block, line.tool_use_result, stringOf(line.parent_tool_use_id))
}

const userMessage = (parts: ClaudeParts, line: Fields, written: unknown[]) => {
  const { emit, compaction, messages } = parts
  const blocks = blocksOf(written)
  const text = textOfBlocks(blocks)
  const parent = stringOf(line.parent_tool_use_id)
  // For the model only: the end of the run says that it was stopped.
  if (isStopMark(text) && line.isReplay !== true) {
    if (parent === undefined) parts.isInterrupted = true
    return messages.settleThread(parent)
  }
  if (parent === undefined) {
    const printed = commandOutput(text)
    if (printed !== undefined) return emit(noticeEvent('info', printed))
    if (line.isReplay !== true && compaction.acceptsSummary(text)) return
  }
  messages.user(line, blocks)
}

const isStopMark = (text: string): boolean =>
  /^\[Request interrupted by user(?: for tool use)?\]$/.test(text)

/**
 * What a command of the program itself printed, such as `/compact`. It arrives as a user message,
 * even when no run is open.
 */
const commandOutput = (text: string): string | undefined =>
  /^<local-command-std(?:out|err)>(.*?)(?:<\/local-command-std(?:out|err)>)?$/s.exec(text)?.[1]
