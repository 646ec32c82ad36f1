import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import { type ClaudeParts, noticeEvent, releaseOutput } from './parts.ts'
import { endWithoutResult } from './result.ts'
import { launchedTask, shownTask } from './tasks.ts'
import { blocksOf, textOfBlocks, timestampOf } from './wire.ts'

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

const toolResult = (parts: ClaudeParts, line: Fields, block: Fields) => {
  const { run, permissions, tools, tasks } = parts
  const toolCallId = stringOf(block.tool_use_id)
  const parentToolCallId = stringOf(line.parent_tool_use_id)
  const details = line.tool_use_result
  releaseOutput(parts)
  run.act(parentToolCallId)
  permissions.answered(toolCallId)
  const input = tools.inputOf(toolCallId)
  tools.result(block, { details, timestamp: timestampOf(line), parentToolCallId })
  tasks.callEnded(toolCallId ?? '', launchedTask(block, details, input))
  tasks.shown(shownTask(block, input))
}

const userMessage = (parts: ClaudeParts, line: Fields, written: unknown[]) => {
  const { compaction, messages } = parts
  const blocks = blocksOf(written)
  const text = textOfBlocks(blocks)
  const parent = stringOf(line.parent_tool_use_id)
  // For the model only: the end of the run says that it was stopped.
  if (isStopMark(text) && line.isReplay !== true) {
    messages.settleThread(parent)
    if (parent !== undefined) return
    parts.isInterrupted = true
    return endWithoutResult(parts)
  }
  if (parent === undefined) {
    const command = typedCommand(text)
    // The compaction stands for its command, which is echoed after it.
    const isShown = command?.startsWith('/compact') && parts.hasCompacted
    if (command !== undefined && !isShown) messages.user(line, [{ type: 'text', text: command }])
    releaseOutput(parts)
    if (command !== undefined) return
    const printed = commandOutput(text)
    if (printed !== undefined) return emitOutput(parts, printed)
    if (line.isReplay !== true && compaction.acceptsSummary(text)) {
      parts.hasCompacted = true
      return
    }
  }
  messages.user(line, blocks)
}

const isStopMark = (text: string): boolean =>
  /^\[Request interrupted by user(?: for tool use)?\]$/.test(text)

/** In a run, the echo of the command may follow its output: then it comes first. */
const emitOutput = (parts: ClaudeParts, text: string) => {
  const { emit, run } = parts
  parts.hasOutput = true
  const printed = text.trim()
  if (printed === '') return
  const emitNotice = () => emit(noticeEvent('info', printed))
  if (run.isOpen()) parts.heldOutput = emitNotice
  else emitNotice()
}

/** The command that a person typed, such as `/compact`. The program echoes it in tags of its own. */
const typedCommand = (text: string): string | undefined => {
  if (!/^\s*<command-(?:name|message)>/.test(text)) return undefined
  const name = /<command-name>(.*?)<\/command-name>/s.exec(text)?.[1]?.trim()
  if (!name) return undefined
  const args = /<command-args>(.*)<\/command-args>/s.exec(text)?.[1]?.trim() ?? ''
  return args === '' ? name : `${name} ${args}`
}

/**
 * What a command of the program itself printed, such as `/compact`. It arrives as a user message,
 * even when no run is open.
 */
const commandOutput = (text: string): string | undefined =>
  /^<local-command-std(?:out|err)>(.*?)(?:<\/local-command-std(?:out|err)>)?$/s.exec(text)?.[1]
