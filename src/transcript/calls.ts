import { blobIn } from '../events/cut.ts'
import type { BlobRef, Message } from '../events/types.ts'

/** The arguments of each call that a thread has shown so far, by id. */
export type Calls = Map<string, Args>

/** What a call was given. */
export interface Args {
  args?: unknown
  argsBlob?: BlobRef
}

/** Remembers the calls that a message makes. */
export const noteCalls = (calls: Calls, message: Message): void => {
  for (const block of message.content)
    if (block.type === 'toolCall' && typeof block.id === 'string')
      calls.set(block.id, argsOf(block.arguments, blobIn(block)))
}

/** Arguments, and the name of the whole where they are only a beginning. */
export const argsOf = (args: unknown, argsBlob: BlobRef | undefined): Args => ({
  ...(args !== undefined && { args }),
  ...(argsBlob && { argsBlob }),
})
