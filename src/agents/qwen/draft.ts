import type { Message, Usage } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createOpenMessage, type MessageFailure } from '../open-message.ts'
import { createApiErrorText } from './api-error.ts'
import { stopReasonOf, usageOf } from './wire.ts'

export interface QwenDraftOptions {
  id: string
  model: string | undefined
  /** Arrives as stream events, which say when it stops. */
  isStreaming: boolean
}

/**
 * One answer of the model. Qwen Code prints an `assistant` line for each kind of block in it, with an
 * id of its own, and counts the blocks from zero in each. Only the last line has the usage.
 */
export interface QwenDraft {
  readonly id: string
  readonly isStreaming: boolean
  /** Whether the usage has come: no more lines follow. */
  isWhole(): boolean
  /** Adds the blocks of an `assistant` line. Returns the tool calls in it. */
  add(message: Fields): Fields[]
  begin(index: number, block: Fields): void
  grow(index: number, delta: Fields): void
  /** The text at its end that may be an error of the provider. */
  heldError(): string
  /** Ends the message. Text that was held back belongs to it, unless it is the error. */
  finish(failure?: MessageFailure): Message
}

export const createQwenDraft = (options: QwenDraftOptions, emit: Emit): QwenDraft => {
  const { id, model, isStreaming } = options
  const open = createOpenMessage(id, emit)
  const errorText = createApiErrorText()
  /** Number of the blocks in the lines before. */
  let base = 0
  /** Index of the text that grew last. */
  let textAt = 0
  let usage: Usage | undefined
  let stopReason: string | undefined

  const addBlock = (index: number, block: Fields): Fields[] => {
    if (block.type === 'tool_use') {
      open.endTool(index, stringOf(block.id) ?? '', stringOf(block.name) ?? '', block.input ?? {})
      return [block]
    }
    textAt = index
    if (block.type === 'thinking') open.complete(index, 'thinking', stringOf(block.thinking) ?? '')
    else if (block.type === 'text') {
      const text = errorText.without(stringOf(block.text) ?? '')
      if (text !== '') open.complete(index, 'text', text)
    }
    return []
  }

  return {
    id,
    isStreaming,
    isWhole: () => usage !== undefined,
    add(message) {
      const blocks = listOf(message.content).map(fieldsOf)
      const calls = blocks.flatMap((block, index) => addBlock(base + index, block))
      base += blocks.length
      stopReason = stopReasonOf(message.stop_reason) ?? stopReason
      usage = usageOf(message.usage) ?? usage
      return calls
    },
    begin(index, block) {
      if (block.type === 'tool_use')
        open.startTool(base + index, stringOf(block.id) ?? '', stringOf(block.name) ?? '')
    },
    grow(index, delta) {
      const at = base + index
      if (delta.type === 'text_delta') {
        textAt = at
        const text = stringOf(delta.text) ?? ''
        if (!errorText.hold(text)) open.delta(at, 'text', text)
      } else if (delta.type === 'thinking_delta')
        open.delta(at, 'thinking', stringOf(delta.thinking) ?? '')
      else if (delta.type === 'input_json_delta')
        open.toolDelta(at, stringOf(delta.partial_json) ?? '')
    },
    heldError: errorText.held,
    finish(failure) {
      const text = errorText.take()
      if (text !== '' && failure?.reason !== 'error') open.delta(textAt, 'text', text)
      const { errorMessage } = failure ?? {}
      const details = defined({ model, usage, errorMessage, nativeId: id })
      const reason = failure?.reason ?? stopReason
      const content = open.content()
      const message: Message = {
        ...{ role: 'assistant', content, ...details, ...defined({ stopReason: reason }) },
      }
      open.finish(message, failure)
      return message
    },
  }
}
