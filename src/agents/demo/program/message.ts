import type { Message } from '../../../events/types.ts'
import { createOpenMessage } from '../../open-message.ts'
import type { InputMessage } from './message-queue.ts'
import { pause, splitWords } from './pause.ts'
import type { RunContext } from './run-context.ts'
import type { ScriptedCall, ScriptedFailure } from './script.ts'

/** A scripted call with the id that it gets when it is made. */
export interface IdentifiedCall extends ScriptedCall {
  id: string
}

/** The content of one message of the demo. */
export interface DemoMessage {
  thinking?: string
  text: string
  calls: readonly IdentifiedCall[]
  failure?: ScriptedFailure
}

/** Streams one assistant message, word by word; returns its id. */
export const streamMessage = async (context: RunContext, content: DemoMessage): Promise<string> => {
  const { emit, signal, pace, model, account } = context
  const { thinking, text, calls, failure } = content
  const messageId = context.newId('message')
  emit({ type: 'message_start', messageRole: 'assistant', messageId, model })
  const open = createOpenMessage(messageId, emit)
  let index = 0

  const stream = async (kind: 'text' | 'thinking', whole: string) => {
    open.start(index, kind)
    for (const word of splitWords(whole)) {
      await pause(pace, signal)
      open.delta(index, kind, word)
    }
    open.end(index)
    index += 1
  }

  const streamCall = async ({ id, name, input }: IdentifiedCall) => {
    open.startTool(index, id, name)
    for (const word of splitWords(JSON.stringify(input))) {
      await pause(pace, signal)
      open.toolDelta(index, word)
    }
    open.endTool(index, id, name, input)
    index += 1
  }

  if (thinking !== undefined) await stream('thinking', thinking)
  if (text !== '') await stream('text', text)
  for (const call of calls) await streamCall(call)

  const message: Message = {
    role: 'assistant',
    content: open.content(),
    model,
    provider: 'demo',
    usage: account.addOutput(`${thinking ?? ''}${text}`),
    stopReason: demoStopReason(content),
    timestamp: Date.now(),
    ...(failure && { errorMessage: failure.message }),
  }
  open.finish(message, failure && { reason: 'error', errorMessage: failure.message })
  return messageId
}

/** Why a message of the demo stops. */
export const demoStopReason = ({ failure, calls }: Pick<DemoMessage, 'failure' | 'calls'>) =>
  failure ? 'error' : calls.length > 0 ? 'toolUse' : 'stop'

/** Adds a message of the person to the conversation. */
export const emitUserMessage = (
  { emit, newId, account }: RunContext,
  { text, images }: InputMessage,
): void => {
  const messageId = newId('message')
  account.addInput(text)
  emit({ type: 'message_start', messageRole: 'user', messageId })
  const content: Message['content'] = [{ type: 'text', text }]
  for (const { data, mimeType } of images) content.push({ type: 'image', data, mimeType })
  emit({ type: 'message_end', messageId, message: { role: 'user', content } })
}
