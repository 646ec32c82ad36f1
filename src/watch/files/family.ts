import type { ReportedUsage, StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { messageKeyOf, usageKeyOf } from './call-keys.ts'
import { isReport, sumOf } from './fork-totals.ts'

/** A call of a conversation that has copies. */
export interface CountedCall {
  /** The session that counts it; undefined if that one is gone, and others have it as a copy. */
  owner: string | undefined
  /** The totals of the conversation behind the call, as the agent counts them. */
  reported?: ReportedUsage | undefined
  /** The owner’s own totals do not include it: it is a copy there, too, read before its original. */
  isUnpaid?: boolean
}

/** Sessions that begin with the same message, and the calls that they share. */
export interface Family {
  members(): ReadonlySet<string>
  add(sessionId: string): void
  /** Which session counts which call. Reads each member once, unless it is in memory. */
  calls(): Promise<ReadonlyMap<string, CountedCall>>
  /** Notes what a member counts. It changes nothing if the calls are not in memory. */
  note(counted: NotedCall): void
  /** How many calls are in memory. */
  size(): number
  /** Frees the memory. */
  forget(): void
}

export interface NotedCall {
  sessionId: string
  /** A call, or undefined for a report behind the last one. */
  key?: string | undefined
  reported: ReportedUsage | undefined
  isUnpaid?: boolean
}

export interface FamilyOptions {
  log: Pick<Log, 'read'>
  /** The totals that a session began with, because it is a copy itself. */
  inheritedBy(sessionId: string): ReportedUsage | undefined
}

export const createFamily = ({ log, inheritedBy }: FamilyOptions): Family => {
  const members = new Set<string>()
  let known: Map<string, CountedCall> | undefined
  let loading: Promise<ReadonlyMap<string, CountedCall>> | undefined
  /** The last call that each member counts. */
  const lastCalls = new Map<string, CountedCall>()

  const noteIn = (calls: Map<string, CountedCall>, noted: NotedCall): void => {
    const { sessionId, key, reported, isUnpaid } = noted
    if (key === undefined) {
      const last = lastCalls.get(sessionId)
      if (last) last.reported = reported
      return
    }
    if (calls.get(key)?.owner !== undefined) return
    const call = { owner: sessionId, reported, ...(isUnpaid === true && { isUnpaid }) }
    calls.set(key, call)
    lastCalls.set(sessionId, call)
  }

  const addMember = async (calls: Map<string, CountedCall>, sessionId: string): Promise<void> => {
    const began = inheritedBy(sessionId)
    let reported = began
    for await (const event of log.read(sessionId, 0)) {
      const key = usageKeyOf(event, event.timestamp)
      if (isReport(event)) {
        reported = sumOf(event.reported, began)
        noteIn(calls, { sessionId, reported })
      } else if (key !== undefined) noteIn(calls, { sessionId, key, reported })
      else noteCopy(calls, event)
    }
  }

  const load = async (): Promise<ReadonlyMap<string, CountedCall>> => {
    const calls = new Map<string, CountedCall>()
    lastCalls.clear()
    known = calls
    for (const sessionId of members) await addMember(calls, sessionId)
    return calls
  }

  return {
    members: () => members,
    add: (sessionId) => void members.add(sessionId),
    async calls() {
      loading ??= load()
      try {
        return await loading
      } catch (cause) {
        loading = undefined
        throw cause
      }
    },
    note: (noted) => known && noteIn(known, noted),
    size: () => known?.size ?? 0,
    forget() {
      known = undefined
      loading = undefined
      lastCalls.clear()
    },
  }
}

/** A message without usage is a copy of one that another session counts, or has counted. */
const noteCopy = (calls: Map<string, CountedCall>, event: StampedEvent): void => {
  if (event.type !== 'message_end' || event.message.role !== 'assistant') return
  const key = messageKeyOf(event.messageId, event.message)
  if (!calls.has(key)) calls.set(key, { owner: undefined })
}
