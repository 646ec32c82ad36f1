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
  const threads = new Map<string, OpenCodeThread>()
  const create = (parent: string | undefined): OpenCodeThread => ({
    ...{ parent, emit: inside(emit, parent), draft: undefined, waiting: [] },
  })
  const main = create(undefined)
  return {
    of(sessionId) {
      const found = threads.get(sessionId)
      if (found) return found
      const parent = parentOf(sessionId)
      const thread = parent === undefined ? main : create(parent)
      threads.set(sessionId, thread)
      return thread
    },
    find: (sessionId) => threads.get(sessionId),
    all: () => new Set(threads.values()),
  }
}
