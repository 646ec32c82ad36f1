import type { AgentEvent, Message, StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import type { TimedEvents, WatchedSession } from '../watched-session.ts'

/** Counts the model calls that copies of a conversation share once. */
export interface ForkUsage {
  /**
   * The events without the usage that another session counts. `beginning` is what copies have in
   * common; undefined if nothing is known yet.
   */
  withoutCopies(
    session: Pick<WatchedSession, 'id' | 'update'>,
    beginning: string | undefined,
    parts: readonly TimedEvents[],
  ): Promise<readonly TimedEvents[]>
  /** Notes a session of an earlier start. */
  note(sessionId: string, beginning: string): void
  /** Forgets which calls are copies: the session is not read for now. */
  release(sessionId: string): void
}

/**
 * A fork begins with a copy of another session: the same messages, with the same usage. The copies are
 * shown, but what they cost was paid once. Sessions with the same beginning are a family; which of them
 * was read first counts the calls that they share.
 */
export const createForkUsage = (log: Pick<Log, 'read'>): ForkUsage => {
  const families = new Map<string, Set<string>>()
  /** The calls that other sessions of the family have counted, by session. */
  const copies = new Map<string, Set<string>>()
  const begun = new Set<string>()

  const familyOf = (beginning: string): Set<string> => {
    const family = families.get(beginning) ?? new Set()
    families.set(beginning, family)
    return family
  }
  const countedBy = async (ids: Iterable<string>): Promise<Set<string>> => {
    const counted = new Set<string>()
    for (const id of ids)
      for await (const event of log.read(id, 0)) {
        const key = usageKeyOf(event, event.timestamp)
        if (key !== undefined) counted.add(key)
      }
    return counted
  }
  const join = async (
    { id: sessionId, update }: Pick<WatchedSession, 'id' | 'update'>,
    beginning: string,
  ): Promise<Set<string>> => {
    const family = familyOf(beginning)
    const others = [...family].filter((id) => id !== sessionId)
    const counted = await countedBy(others)
    copies.set(sessionId, counted)
    family.add(sessionId)
    // So that it is known at the next start.
    if (!begun.has(sessionId)) await update({ beginning })
    begun.add(sessionId)
    return counted
  }

  return {
    async withoutCopies(session, beginning, parts) {
      if (beginning === undefined) return parts
      const counted = copies.get(session.id) ?? (await join(session, beginning))
      return counted.size === 0 ? parts : parts.map((part) => withoutUsage(part, counted))
    },
    note(sessionId, beginning) {
      familyOf(beginning).add(sessionId)
      begun.add(sessionId)
    },
    release: (sessionId) => void copies.delete(sessionId),
  }
}

/** What identifies a call that is counted. */
const usageKeyOf = (
  event: AgentEvent | StampedEvent,
  at: number | undefined,
): string | undefined => {
  if (event.type === 'compaction_end' && event.usage) return `compaction ${at}`
  if (event.type !== 'message_end' || !event.message.usage) return undefined
  return messageKeyOf(event.messageId, event.message)
}

/** Ids such as `m3` are the decoder’s own: the agent’s own id, or the time, says more. */
const messageKeyOf = (messageId: string, { nativeId, timestamp, usage }: Message): string => {
  if (nativeId !== undefined) return nativeId
  return timestamp === undefined ? messageId : `${timestamp} ${usage?.input} ${usage?.output}`
}

const withoutUsage = (part: TimedEvents, counted: ReadonlySet<string>): TimedEvents => {
  const copied = new Set<string>()
  for (const event of part.events) {
    const key = usageKeyOf(event, part.at)
    if (event.type === 'message_end' && key !== undefined && counted.has(key))
      copied.add(event.messageId)
  }
  return {
    ...part,
    events: part.events.flatMap((event): AgentEvent[] => {
      if (event.type === 'compaction_end' && counted.has(`compaction ${part.at}`)) {
        const { usage: _, ...rest } = event
        return [rest]
      }
      if (event.type === 'message_update' && event.assistantMessageEvent.type === 'usage')
        return copied.has(event.messageId) || counted.has(event.messageId) ? [] : [event]
      if (event.type === 'message_end' && copied.has(event.messageId)) {
        const { usage: _, ...message } = event.message
        return [{ ...event, message }]
      }
      return [event]
    }),
  }
}
