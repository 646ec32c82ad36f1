import type { AgentEvent, Message, ReportedUsage, Usage } from '../../events/types.ts'
import { addTokens } from '../../events/usage-sums.ts'
import type { Log } from '../../log/log.ts'
import type { TimedEvents, WatchedSession } from '../watched-session.ts'
import { compactionKey, usageKeyOf } from './call-keys.ts'
import { createFamilies } from './families.ts'
import type { CountedCall, Family, MemberNotes } from './family.ts'
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
   * undefined if it is not known yet. `later`: with `canWait`, when the session is a copy and nobody
   * knows yet what its totals began with, so that it is better read after its original.
   */
  withoutCopies<Part extends CopyPart>(
    session: Pick<WatchedSession, 'id' | 'update'>,
    beginning: string | undefined,
    parts: readonly Part[],
    options?: { canWait?: boolean | undefined },
  ): Promise<readonly Part[] | 'later'>
  /** Notes a session of an earlier start. */
  note(sessionId: string, beginning: string, notes: MemberNotes): void
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
  /** How many calls it counts that its totals leave out. */
  unpaidCalls: number
  /** The tokens of copies whose cost no other session has, by model. */
  paidHere: Record<string, Usage>
  /** Whether a report of this session was the first to contain that cost. */
  isPaying: boolean
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
  /** What is stored of copies in their records. */
  const notes = new Map<string, MemberNotes>()
  const notesOf = (sessionId: string): MemberNotes => notes.get(sessionId) ?? {}
  const families = createFamilies({ log, notesOf })
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
      ...{ startsAtZero: false, inherited: notesOf(id).inherited, reported: undefined },
      unpaidCalls: 0,
      ...{ paidHere: {}, isPaying: false },
    }
    copies.set(id, copy)
    // So that it is known at the next start.
    if (!begun.has(id)) await update({ beginning })
    begun.add(id)
    return copy
  }

  /** The copy ends here: the totals that it had do not count again. */
  const endCopying = (copy: Copy): 'unknown' | undefined => {
    copy.isCopying = false
    const { last, startsAtZero } = copy
    if (!startsAtZero && last)
      copy.inherited ??= last.isUnpaid === true ? { byModel: copy.paidHere } : last.reported
    copy.reported ??= copy.inherited
    return last && !startsAtZero && !copy.inherited ? 'unknown' : undefined
  }

  /** Stores what the events of a copy do not say. */
  const storeNotes = async (copy: Copy, update: WatchedSession['update']): Promise<void> => {
    const { id, inherited, unpaidCalls } = copy
    const stored = notesOf(id)
    if (inherited === stored.inherited && unpaidCalls <= (stored.unpaidCalls ?? 0)) return
    const next = { inherited, unpaidCalls: Math.max(unpaidCalls, stored.unpaidCalls ?? 0) }
    notes.set(id, next)
    const isSmall = Object.keys(inherited?.byModel ?? {}).length <= maxModels
    await update(isSmall ? next : { unpaidCalls })
  }

  return {
    async withoutCopies(session, beginning, parts, { canWait = false } = {}) {
      if (beginning === undefined) return parts
      const copy = copies.get(session.id) ?? (await join(session, beginning))
      if (copy.family.members().size > 1) copy.calls ??= await families.calls(copy.family, isUsed)
      const counted: (typeof parts)[number][] = []
      for (const part of parts) {
        if (copy.isCopying && hasNewCall(part, copy) && endCopying(copy) === 'unknown' && canWait)
          return 'later'
        noteCopies(part, copy)
        counted.push({ ...part, events: countedOnce(part, copy) })
        noteOwn(part, copy)
      }
      await storeNotes(copy, session.update)
      return counted
    },
    note(sessionId, beginning, { inherited, unpaidCalls }) {
      families.get(beginning).add(sessionId)
      begun.add(sessionId)
      if (inherited || unpaidCalls) notes.set(sessionId, { inherited, unpaidCalls })
    },
    release: (sessionId) => void copies.delete(sessionId),
  }
}

/** The call, if another session counts it. */
const copiedCall = (key: string | undefined, { calls, id }: Copy): CountedCall | undefined => {
  const call = key === undefined ? undefined : calls?.get(key)
  return call?.owner === id ? undefined : call
}

/**
 * The call, if another session counts it. The files of subagents are not copied, but the totals of a copy
 * include them.
 */
const countedElsewhere = (
  event: AgentEvent,
  key: string | undefined,
  copy: Copy,
): CountedCall | undefined => {
  const call = copiedCall(key, copy)
  if (call || !isOfSubagent(event) || key === undefined || !copy.isCopying) return call
  const owner = copy.last?.owner
  const isInTotals = owner !== undefined && copy.last?.isUnpaid !== true
  return isInTotals && copy.family.hasTotals(owner) ? copy.last : undefined
}

const isOfSubagent = ({ parentToolCallId }: AgentEvent): boolean => parentToolCallId !== undefined

const hasNewCall = ({ events, at }: CopyPart, copy: Copy): boolean =>
  events.some((event) => {
    if (isOfSubagent(event)) return false
    const key = usageKeyOf(event, at)
    return key !== undefined && !copiedCall(key, copy)
  })

const noteCopies = ({ events, at, startsAtZero = false }: CopyPart, copy: Copy): void => {
  if (!copy.isCopying) return
  for (const event of events) {
    // Subagents start before the message of their call ends.
    const call = copiedCall(startedKeyOf(event) ?? usageKeyOf(event, at), copy)
    if (!call) continue
    copy.last = call
    copy.startsAtZero = startsAtZero
    if (call.isUnpaid && !startsAtZero && event.type === 'message_end') addPaid(copy, event.message)
  }
}

const addPaid = ({ paidHere }: Copy, { model = '', usage = {} }: Message): void => {
  paidHere[model] = addTokens(paidHere[model] ?? {}, usage)
}

/** Notes what the session counts itself, for copies of it that are read now or later. */
const noteOwn = (part: CopyPart, copy: Copy): void => {
  const { events, at, startsAtZero = false } = part
  const { id: sessionId, family } = copy
  for (const event of events) {
    if (isReport(event)) {
      copy.reported = event.reported
      if (!copy.isCopying) family.note({ sessionId, reported: copy.reported })
    }
    const key = usageKeyOf(event, at)
    if (key === undefined || countedElsewhere(event, key, copy)) continue
    if (startsAtZero) copy.unpaidCalls += 1
    family.note({ sessionId, key, reported: copy.reported, isUnpaid: startsAtZero })
  }
}

const countedOnce = (part: CopyPart, copy: Copy): readonly AgentEvent[] => {
  const { events, at } = part
  if (!copy.calls) return events
  const ids = new Set<string>()
  for (const event of events)
    if (event.type === 'message_end' && countedElsewhere(event, usageKeyOf(event, at), copy))
      ids.add(event.messageId)
  return events.flatMap((event): AgentEvent[] => {
    switch (event.type) {
      case 'message_update':
        return isUsage(event) &&
          (ids.has(event.messageId) || countedElsewhere(event, event.messageId, copy))
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

/** What identifies a call that is not over yet. */
const startedKeyOf = (event: AgentEvent): string | undefined =>
  event.type === 'message_update' && isUsage(event) ? event.messageId : undefined

/** A report without what another session counts. */
const ownTotals = (
  event: Extract<AgentEvent, { type: 'session_update' }> & { reported: ReportedUsage },
  copy: Copy,
): AgentEvent[] => {
  const { reported, ...rest } = event
  if (copy.startsAtZero) return [event]
  if (copy.isCopying && copy.last?.isUnpaid === true) {
    // The tokens count in a copy that was read before. What they cost counts here.
    copy.last.isUnpaid = false
    copy.last.reported = reported
    copy.inherited = { byModel: { ...copy.paidHere } }
    copy.isPaying = true
  }
  if (!copy.isCopying || copy.isPaying)
    return [
      copy.inherited ? { ...rest, reported: withoutInherited(reported, copy.inherited) } : event,
    ]
  // The other session has gone on from these totals, and so have those that are copied from it.
  copy.inherited = reported
  if (copy.last) copy.last.reported ??= reported
  return Object.keys(rest).length > 1 ? [rest] : []
}
