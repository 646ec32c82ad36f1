import { blobIn } from '../events/blob-preview.ts'
import type { BlobRef, Message } from '../events/types.ts'

/** The arguments of the tool calls that the messages of a thread contain, by tool call id. */
export type CallArguments = Map<string, Args>

/** The arguments of one tool call. */
export interface Args {
  args?: unknown
  argsBlob?: BlobRef
}

/** Adds the tool calls of a message. */
export const recordCalls = (calls: CallArguments, message: Message): void => {
  for (const block of message.content)
    if (block.type === 'toolCall' && typeof block.id === 'string')
      calls.set(block.id, argsOf(block.arguments, blobIn(block)))
}

/** Arguments as entry fields; `argsBlob` is set where `args` is only a preview. */
export const argsOf = (args: unknown, argsBlob: BlobRef | undefined): Args => ({
  ...(args !== undefined && { args }),
  ...(argsBlob && { argsBlob }),
})
