import type { Block } from '../../events/types.ts'
import { type Fields, fieldsOf, flagOf, stringOf } from '../../shared/fields.ts'
import type { OpenCodeCompaction } from './compaction.ts'
import type { OpenCodeRun } from './run.ts'
import type { OpenCodeThread } from './thread.ts'
import { fileBlock } from './wire.ts'

/** The messages of the user, and those that OpenCode writes in the user’s name. */
export interface OpenCodeUserMessages {
  part(thread: OpenCodeThread, nativeId: string, part: Fields): void
  /** A line follows that is not a part of this message: the message is complete. */
  flush(nextMessageId?: string): void
}

export interface UserMessagesOptions {
  run: OpenCodeRun
  compaction: OpenCodeCompaction
  newId(nativeId: string): string
}

interface Pending {
  thread: OpenCodeThread
  nativeId: string
  /** The parts by id: each may be updated. */
  parts: Map<string, Fields>
}

export const createUserMessages = (options: UserMessagesOptions): OpenCodeUserMessages => {
  let pending: Pending | undefined
  /** Messages that were emitted. OpenCode sends their parts again when it changes a detail. */
  const emitted = new Set<string>()

  const flush = () => {
    if (!pending) return
    const { thread, nativeId, parts } = pending
    pending = undefined
    emitted.add(nativeId)
    const emit = () => emitUser(options, thread, nativeId, [...parts.values()])
    if (thread.draft) thread.waiting.push(emit)
    else emit()
  }

  return {
    part(thread, nativeId, part) {
      if (emitted.has(nativeId)) return
      if (pending?.nativeId !== nativeId) flush()
      pending ??= { thread, nativeId, parts: new Map() }
      pending.parts.set(stringOf(part.id) ?? '', part)
      if (part.type === 'compaction') options.compaction.start(compactionReason(part))
    },
    flush(nextMessageId) {
      if (pending?.nativeId !== nextMessageId) flush()
    },
  }
}

const compactionReason = ({ auto, overflow }: Fields): string => {
  if (overflow === true) return 'overflow'
  return flagOf(auto) === false ? 'manual' : 'threshold'
}

const emitUser = (
  { run, newId }: UserMessagesOptions,
  { emit }: OpenCodeThread,
  nativeId: string,
  parts: readonly Fields[],
) => {
  const written = parts.filter(({ synthetic }) => synthetic !== true)
  const content = (written.length > 0 ? written : parts).flatMap(blockOf)
  if (content.length === 0) return
  run.ensure()
  const messageId = newId(nativeId)
  emit({ type: 'message_start', messageRole: 'user', messageId })
  emit({
    type: 'message_end',
    messageId,
    message: {
      ...{ role: 'user', content, nativeId },
      ...(written.length === 0 && { synthetic: true }),
    },
  })
}

const blockOf = (part: Fields): Block[] => {
  if (part.type === 'file') return [fileBlock(part)]
  return part.type === 'text' && typeof part.text === 'string'
    ? [{ type: 'text', text: part.text }]
    : []
}

/** Whether a text asks the model to continue after a compaction. */
export const isContinuation = ({ metadata }: Fields): boolean =>
  fieldsOf(metadata).compaction_continue === true
