import type { Block } from '../../events/types.ts'
import type { Emit } from '../emit.ts'
import type { PromptFile, PromptImage } from '../live.ts'

/** A prompt that was sent into a run. */
export interface JoinedPrompt {
  id: string
  text: string
  images?: readonly PromptImage[]
  files?: readonly PromptFile[]
}

/**
 * The prompts that were sent into a run and that the agent has not read. The protocol does not report
 * when it reads them: it has done so when the model’s next message starts, or when the run ends well.
 */
export interface JoinedPrompts {
  sent(prompt: JoinedPrompt): void
  /** The agent has read them. */
  taken(): void
  /** The run has ended, and nothing shows that they were read. */
  clear(): void
}

export const createJoinedPrompts = (emit: Emit): JoinedPrompts => {
  let waiting: JoinedPrompt[] = []
  return {
    sent(prompt) {
      waiting.push(prompt)
    },
    taken() {
      const read = waiting
      waiting = []
      for (const { id: messageId, text, images = [], files = [] } of read) {
        const content: Block[] = [
          { type: 'text', text },
          ...images.map((image): Block => ({ type: 'image', ...image })),
          ...files.map((file): Block => ({ type: 'attachedFile', ...file })),
        ]
        emit({ type: 'message_start', messageRole: 'user', messageId })
        emit({ type: 'message_end', messageId, message: { role: 'user', content } })
      }
    },
    clear() {
      waiting = []
    },
  }
}
