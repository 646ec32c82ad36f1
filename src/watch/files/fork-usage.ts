import type { AgentEvent, ReportedUsage } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import type { TimedEvents, WatchedSession } from '../watched-session.ts'
import { compactionKey, usageKeyOf } from './call-keys.ts'
import { createFamilies } from './families.ts'
import type { CountedCall, Family } from './family.ts'
import { isReport, withoutInherited } from './fork-totals.ts'

/** The events of a line, and what it says about copies. */
export interface CopyPart extends TimedEvents {
  /** The line is a copy in a session whose totals start at zero. */
  startsAtZero?: boolean
}

/** Counts the model calls that copies of a conversation share once. */
export interface ForkUsage {
  /**
   * The events without the usage that another session counts. Call it with all events of a file, also
   * with those that are stored already. `beginning`: what copies of the conversation have in common;
   * undefined if it is not known yet.
   */
  withoutCopies<Part extends CopyPart>(
    session: Pick<WatchedSession, 'id' | 'update'>,
    beginning: string | undefined,
    parts: readonly Part[],
  ): Promise<readonly Part[]>
  /** Notes a session of an earlier start, and the totals that it began with. */
  note(sessionId: string, beginning: string, inherited?: ReportedUsage): void
  /** Forgets which calls are copies: the session is not read for now. */
  release(sessionId: string): void
}

/** What is known of one session while it is read. */
interface Copy {
  id: string
  family: Family
  /** The calls of the family. Undefined while the session is its only member. */
  calls: ReadonlyMap<string, CountedCall> | undefined
  /** Whether all calls so far are copies. */
  isCopying: boolean
  /** The last of the copies. */
  last: CountedCall | undefined
  /** The totals of the session do not include the copies. */
  startsAtZero: boolean
  /** The totals that the conversation had where the copy ends. */
  inherited: ReportedUsage | undefined
  /** The last totals that the session’s own file has. */
  reported: ReportedUsage | undefined
}

/** Totals of so many models are not stored in the record of a session. */
const maxModels = 20

/**
 * A fork begins with a copy of another session: the same messages, with the same usage, and totals that
 * go on. The copies are shown, but what they cost was paid once. Sessions with the same beginning are a
 * family; which of them was read first counts what they share.
 */
export const createForkUsage = (log: Pick<Log, 'read'>): ForkUsage => {
  const copies = new Map<string, Copy>()
  const begun = new Set<string>()
  /** What sessions have begun with, for the copies of copies. */
  const inheritedBy = new Map<string, ReportedUsage>()

  const families = createFamilies({ log, inheritedBy: (sessionId) => inheritedBy.get(sessionId) })
  const isUsed = (family: Family): boolean =>
    Array.from(copies.values()).some((copy) => copy.family === family)

  const join = async (
    { id, update }: Pick<WatchedSession, 'id' | 'update'>,
    beginning: string,
  ): Promise<Copy> => {
    const family = families.get(beginning)
    family.add(id)
    const copy: Copy = {
      ...{ id, family, calls: undefined, isCopying: true, last: undefined },
      ...{ startsAtZero: false, inherited: inheritedBy.get(id), reported: undefined },
    }
    copies.set(id, copy)
    // So that it is known at the next start.
    if (!begun.has(id)) await update({ beginning })
    begun.add(id)
    return copy
  }

  /** The copy ends here: the totals that it had do not count again. */
  const endCopying = async (copy: Copy, update: WatchedSession['update']): Promise<void> => {
    copy.isCopying = false
    const { id, last, startsAtZero } = copy
    if (!startsAtZero && last && last.isUnpaid !== true) copy.inherited ??= last.reported
    copy.reported ??= copy.inherited
    if (!copy.inherited || inheritedBy.has(id)) return
    inheritedBy.set(id, copy.inherited)
    if (Object.keys(copy.inherited.byModel).length <= maxModels)
      await update({ inherited: copy.inherited })
  }

  return {
    async withoutCopies(session, beginning, parts) {
      if (beginning === undefined) return parts
      const copy = copies.get(session.id) ?? (await join(session, beginning))
      if (copy.family.members().size > 1) copy.calls ??= await families.calls(copy.family, isUsed)
      const counted: (typeof parts)[number][] = []
      for (const part of parts) {
        if (copy.isCopying && hasNewCall(part, copy)) await endCopying(copy, session.update)
        noteCopies(part, copy)
        counted.push({ ...part, events: countedOnce(part, copy) })
        noteOwn(part, copy)
      }
      return counted
    },
    note(sessionId, beginning, inherited) {
      families.get(beginning).add(sessionId)
      begun.add(sessionId)
      if (inherited) inheritedBy.set(sessionId, inherited)
    },
    release: (sessionId) => void copies.delete(sessionId),
  }
}

/** The call, if another session counts it. */
const copiedCall = (key: string | undefined, { calls, id }: Copy): CountedCall | undefined => {
  const call = key === undefined ? undefined : calls?.get(key)
  return call?.owner === id ? undefined : call
}

const hasNewCall = ({ events, at }: TimedEvents, copy: Copy): boolean =>
  events.some((event) => {
    const key = usageKeyOf(event, at)
    return key !== undefined && !copiedCall(key, copy)
  })

const noteCopies = ({ events, at, startsAtZero = false }: CopyPart, copy: Copy): void => {
  if (!copy.isCopying) return
  for (const event of events) {
    const call = copiedCall(usageKeyOf(event, at), copy)
    if (!call) continue
    copy.last = call
    copy.startsAtZero = startsAtZero
  }
}

/** Notes what the session counts itself, for copies of it that are read now or later. */
const noteOwn = ({ events, at, startsAtZero = false }: CopyPart, copy: Copy): void => {
  const { id: sessionId, family } = copy
  for (const event of events) {
    if (isReport(event)) {
      copy.reported = event.reported
      if (!copy.isCopying) family.note({ sessionId, reported: copy.reported })
    }
    const key = usageKeyOf(event, at)
    if (key !== undefined && !copiedCall(key, copy))
      family.note({ sessionId, key, reported: copy.reported, isUnpaid: startsAtZero })
  }
}

const countedOnce = ({ events, at }: TimedEvents, copy: Copy): readonly AgentEvent[] => {
  if (!copy.calls) return events
  const ids = new Set<string>()
  for (const event of events)
    if (event.type === 'message_end' && copiedCall(usageKeyOf(event, at), copy))
      ids.add(event.messageId)
  return events.flatMap((event): AgentEvent[] => {
    switch (event.type) {
      case 'message_update':
        return isUsage(event) && (ids.has(event.messageId) || copiedCall(event.messageId, copy))
          ? []
          : [event]
      case 'message_end': {
        if (!ids.has(event.messageId)) return [event]
        const { usage: _, ...message } = event.message
        return [{ ...event, message }]
      }
      case 'compaction_end': {
        if (!copiedCall(compactionKey(at), copy)) return [event]
        const { usage: _, ...rest } = event
        return [rest]
      }
      default:
        return isReport(event) ? ownTotals(event, copy) : [event]
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
  if (copy.startsAtZero || copy.last?.isUnpaid === true) return [event]
  if (!copy.isCopying)
    return [
      copy.inherited ? { ...rest, reported: withoutInherited(reported, copy.inherited) } : event,
    ]
  // The other session has gone on from these totals.
  copy.inherited = reported
  return Object.keys(rest).length > 1 ? [rest] : []
}
