import type { AgentEvent, Message, ReportedUsage, StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import type { TimedEvents, WatchedSession } from '../watched-session.ts'
import { isReport, sumOf, withoutInherited } from './fork-totals.ts'

/** What the lines of a file say about copies. */
export interface CopyMarks {
  /** What copies of a conversation have in common; undefined if it is not known yet. */
  beginning: string | undefined
  /** The totals of the agent do not include those of the session that was copied. */
  hasOwnTotals: boolean
}

/** Counts the model calls that copies of a conversation share once. */
export interface ForkUsage {
  /**
   * The events without the usage that another session counts. Call it with all events of a file, also
   * with those that are stored already.
   */
  withoutCopies<Part extends TimedEvents>(
    session: Pick<WatchedSession, 'id' | 'update'>,
    marks: CopyMarks,
    parts: readonly Part[],
  ): Promise<readonly Part[]>
  /** Notes a session of an earlier start. */
  note(sessionId: string, beginning: string): void
  /** Forgets which calls are copies: the session is not read for now. */
  release(sessionId: string): void
}

/** What is known of one session while it is read. */
interface Copy {
  /** The calls that other sessions of the family count. */
  counted: ReadonlySet<string>
  /** Those of them that this session has, too. */
  copied: Set<string>
  /** Whether all calls so far are copies. */
  isCopying: boolean
  /** The totals that the conversation had where the copy ends. */
  inherited: ReportedUsage | undefined
}

/**
 * A fork begins with a copy of another session: the same messages, with the same usage, and totals that
 * go on. The copies are shown, but what they cost was paid once. Sessions with the same beginning are a
 * family; which of them was read first counts what they share.
 */
export const createForkUsage = (log: Pick<Log, 'read'>): ForkUsage => {
  const families = new Map<string, Set<string>>()
  const copies = new Map<string, Copy>()
  const begun = new Set<string>()
  /** What sessions have begun with, for the copies of copies. */
  const inheritedBy = new Map<string, ReportedUsage>()

  const join = async (
    { id, update }: Pick<WatchedSession, 'id' | 'update'>,
    beginning: string,
  ): Promise<Copy> => {
    const family = families.get(beginning) ?? new Set()
    families.set(beginning, family)
    const counted = new Set<string>()
    for (const other of family)
      if (other !== id)
        for await (const event of log.read(other, 0)) {
          const key = usageKeyOf(event, event.timestamp)
          if (key !== undefined) counted.add(key)
        }
    const copy: Copy = { counted, copied: new Set(), isCopying: true, inherited: undefined }
    copies.set(id, copy)
    family.add(id)
    // So that it is known at the next start.
    if (!begun.has(id)) await update({ beginning })
    begun.add(id)
    return copy
  }

  /** The totals of the session that was copied, where the copy ends. */
  const findInherited = async (
    id: string,
    beginning: string,
    copied: ReadonlySet<string>,
  ): Promise<ReportedUsage | undefined> => {
    let best: { matches: number; reported: ReportedUsage | undefined } | undefined
    for (const other of families.get(beginning) ?? []) {
      if (other === id) continue
      const found = await reportBefore(log.read(other, 0), copied)
      if (best && best.matches >= found.matches) continue
      const reported = found.reported && sumOf(found.reported, inheritedBy.get(other))
      best = { matches: found.matches, reported }
    }
    return best?.reported
  }

  return {
    async withoutCopies(session, { beginning, hasOwnTotals }, parts) {
      if (beginning === undefined) return parts
      const { id } = session
      const copy = copies.get(id) ?? (await join(session, beginning))
      if (copy.counted.size === 0) return parts
      const counted: (typeof parts)[number][] = []
      for (const part of parts) {
        if (copy.isCopying && hasNewCall(part, copy)) {
          copy.isCopying = false
          if (!hasOwnTotals && copy.copied.size > 0)
            copy.inherited ??= await findInherited(id, beginning, copy.copied)
          if (copy.inherited) inheritedBy.set(id, copy.inherited)
        }
        counted.push({ ...part, events: countedOnce(part, copy, hasOwnTotals) })
      }
      return counted
    },
    note(sessionId, beginning) {
      families.set(beginning, (families.get(beginning) ?? new Set()).add(sessionId))
      begun.add(sessionId)
    },
    release: (sessionId) => void copies.delete(sessionId),
  }
}

/** The last totals before the first call that is no copy, and how many calls come before it. */
const reportBefore = async (
  events: AsyncIterable<StampedEvent>,
  copied: ReadonlySet<string>,
): Promise<{ matches: number; reported: ReportedUsage | undefined }> => {
  let matches = 0
  let reported: ReportedUsage | undefined
  for await (const event of events) {
    if (isReport(event)) reported = event.reported
    if (event.type !== 'message_end' || event.message.role !== 'assistant') continue
    if (!copied.has(messageKeyOf(event.messageId, event.message))) break
    matches += 1
  }
  return { matches, reported }
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
const messageKeyOf = (messageId: string, { nativeId, timestamp }: Message): string =>
  nativeId ?? (timestamp === undefined ? messageId : `at ${timestamp}`)

const hasNewCall = ({ events, at }: TimedEvents, { counted }: Copy): boolean =>
  events.some((event) => {
    const key = usageKeyOf(event, at)
    return key !== undefined && !counted.has(key)
  })

const countedOnce = (
  { events, at }: TimedEvents,
  copy: Copy,
  hasOwnTotals: boolean,
): AgentEvent[] => {
  const ids = new Set<string>()
  for (const event of events) {
    const key = usageKeyOf(event, at)
    if (key === undefined || !copy.counted.has(key)) continue
    copy.copied.add(key)
    if (event.type === 'message_end') ids.add(event.messageId)
  }
  return events.flatMap((event): AgentEvent[] => {
    switch (event.type) {
      case 'message_update':
        return isUsage(event) && (ids.has(event.messageId) || copy.counted.has(event.messageId))
          ? []
          : [event]
      case 'message_end': {
        if (!ids.has(event.messageId)) return [event]
        const { usage: _, ...message } = event.message
        return [{ ...event, message }]
      }
      case 'compaction_end': {
        if (!copy.counted.has(`compaction ${at}`)) return [event]
        const { usage: _, ...rest } = event
        return [rest]
      }
      default:
        return isReport(event) && !hasOwnTotals ? ownTotals(event, copy) : [event]
    }
  })
}

const isUsage = (event: Extract<AgentEvent, { type: 'message_update' }>): boolean =>
  event.assistantMessageEvent.type === 'usage'

/** A report without what another session counts. */
const ownTotals = (
  event: Extract<AgentEvent, { type: 'session_update' }> & { reported: ReportedUsage },
  copy: Copy,
): AgentEvent[] => {
  const { reported, ...rest } = event
  if (!copy.isCopying)
    return [
      copy.inherited ? { ...rest, reported: withoutInherited(reported, copy.inherited) } : event,
    ]
  // The other session has gone on from these totals.
  copy.inherited = reported
  return Object.keys(rest).length > 1 ? [rest] : []
}
