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
  /** Whether the agent’s totals of a member are known, behind the calls that it counts. */
  hasTotals(sessionId: string): boolean
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

/** What is stored of a member, beside its events. */
export interface MemberNotes {
  /** The totals that it began with, because it is a copy. */
  inherited?: ReportedUsage | undefined
  /** How many of its first calls its totals leave out. */
  unpaidCalls?: number | undefined
}

export interface FamilyOptions {
  log: Pick<Log, 'read'>
  notesOf(sessionId: string): MemberNotes
}

export const createFamily = ({ log, notesOf }: FamilyOptions): Family => {
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
    const before = calls.get(key)
    const call: CountedCall = {
      owner: sessionId,
      reported: reported ?? before?.reported,
      isUnpaid: isUnpaid === true && before?.isUnpaid !== false,
    }
    calls.set(key, call)
    lastCalls.set(sessionId, call)
  }

  const addMember = async (calls: Map<string, CountedCall>, sessionId: string): Promise<void> => {
    const { inherited, unpaidCalls = 0 } = notesOf(sessionId)
    let reported = inherited
    let own = 0
    let lastCopy: CountedCall | undefined
    for await (const event of log.read(sessionId, 0)) {
      const key = usageKeyOf(event, event.timestamp)
      if (isReport(event)) {
        reported = sumOf(event.reported, inherited)
        noteIn(calls, { sessionId, reported })
        // Its totals are the first that contain what another copy has left out.
        if (own === 0 && lastCopy) Object.assign(lastCopy, { reported, isUnpaid: false })
      } else if (key !== undefined) {
        own += 1
        noteIn(calls, { sessionId, key, reported, isUnpaid: own <= unpaidCalls })
      } else {
        const copy = noteCopy(calls, event)
        if (own === 0 && event.parentToolCallId === undefined) lastCopy = copy ?? lastCopy
      }
    }
    if (lastCopy) lastCopy.reported ??= inherited
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
    hasTotals: (sessionId) => lastCalls.get(sessionId)?.reported !== undefined,
    size: () => known?.size ?? 0,
    forget() {
      known = undefined
      loading = undefined
      lastCalls.clear()
    },
  }
}

/** A message without usage is a copy of one that another session counts, or has counted. */
const noteCopy = (
  calls: Map<string, CountedCall>,
  event: StampedEvent,
): CountedCall | undefined => {
  if (event.type !== 'message_end' || event.message.role !== 'assistant') return undefined
  const key = messageKeyOf(event.messageId, event.message)
  const call = calls.get(key) ?? { owner: undefined }
  calls.set(key, call)
  return call
}
