import type { Message } from '../../../events/types.ts'
import { createOpenMessage } from '../../open-message.ts'
import { pause, splitWords } from './pause.ts'
import type { Stage } from './stage.ts'
import type { Call, Failure } from './step.ts'
import type { Said } from './waiting.ts'

/** What one message of the demo holds. */
export interface Speech {
  thinking?: string
  text: string
  calls: readonly (Call & { id: string })[]
  failure?: Failure
}

/** Streams one assistant message, word by word; gives its id. */
export const speak = async (stage: Stage, speech: Speech): Promise<string> => {
  const { tell, signal, pace, model, account } = stage
  const { thinking, text, calls, failure } = speech
  const messageId = stage.newId('message')
  tell({ type: 'message_start', messageRole: 'assistant', messageId, model })
  const open = createOpenMessage(messageId, tell)
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

  if (thinking !== undefined) await stream('thinking', thinking)
  if (text !== '') await stream('text', text)
  for (const { id, name, input } of calls) {
    open.startTool(index, id, name)
    for (const piece of splitWords(JSON.stringify(input))) {
      await pause(pace, signal)
      open.toolDelta(index, piece)
    }
    open.endTool(index, id, name, input)
    index += 1
  }

  const message: Message = {
    role: 'assistant',
    content: open.content(),
    model,
    provider: 'demo',
    usage: account.speak(`${thinking ?? ''}${text}`),
    stopReason: stopReasonOf(speech),
    timestamp: Date.now(),
    ...(failure && { errorMessage: failure.message }),
  }
  open.finish(message, failure && { reason: 'error', errorMessage: failure.message })
  return messageId
}

/** Why a message of the demo ends. */
export const stopReasonOf = ({
  failure,
  calls = [],
}: Pick<Partial<Speech>, 'failure' | 'calls'>) =>
  failure ? 'error' : calls.length > 0 ? 'toolUse' : 'stop'

/** What a person said joins the conversation. */
export const hear = ({ tell, newId, account }: Stage, { text, images }: Said): void => {
  const messageId = newId('message')
  account.hear(text)
  tell({ type: 'message_start', messageRole: 'user', messageId })
  const content: Message['content'] = [{ type: 'text', text }]
  for (const { data, mimeType } of images) content.push({ type: 'image', data, mimeType })
  tell({ type: 'message_end', messageId, message: { role: 'user', content } })
}
