import { type Emit, inside } from '../emit.ts'
import type { OpenCodeDraft } from './draft.ts'

/** The conversation of one session: the main one, or that of a subagent. */
export interface OpenCodeThread {
  /** The call of the subagent; undefined for the main session. */
  readonly parent: string | undefined
  readonly emit: Emit
  /** The assistant message that is open. */
  draft: OpenCodeDraft | undefined
  /** Messages that arrived while the draft was open. */
  readonly waiting: (() => void)[]
}

/** The threads of a stream. A session that no call started is the main one. */
export interface OpenCodeThreads {
  /** The thread of a session. */
  of(sessionId: string): OpenCodeThread
  /** The same, unless nothing of it was read. */
  find(sessionId: string): OpenCodeThread | undefined
  all(): Iterable<OpenCodeThread>
}

/** `parentOf`: the call that a session belongs to; undefined for the main one. */
export const createOpenCodeThreads = (
  emit: Emit,
  parentOf: (sessionId: string) => string | undefined,
): OpenCodeThreads => {
  /** By the call that they belong to. */
  const threads = new Map<string | undefined, OpenCodeThread>()
  return {
    of(sessionId) {
      const parent = parentOf(sessionId)
      const found = threads.get(parent)
      if (found) return found
      const thread = { parent, emit: inside(emit, parent), draft: undefined, waiting: [] }
      threads.set(parent, thread)
      return thread
    },
    find: (sessionId) => threads.get(parentOf(sessionId)),
    all: () => threads.values(),
  }
}
