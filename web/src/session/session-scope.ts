import { createContext, useContext, useSyncExternalStore } from 'react'
import {
  itemAt,
  listItems,
  type Thread,
  type Transcript,
  threadOf,
  waitsForAnother,
} from '../../../src/transcript/index.ts'
import { isErrorNotice } from '../entries/is-error-notice.ts'
import type { Store } from '../lib/store.ts'
import type { ReplayState } from '../replay/replay.ts'
import type { FollowedSession } from '../state/followed-sessions.ts'

/** The session that a view belongs to, and the transcript that it shows: live, or of a replay. */
export interface SessionScope {
  readonly id: string
  readonly transcript: Store<Transcript | undefined>
}

const Context = createContext<SessionScope | undefined>(undefined)
export const SessionProvider = Context.Provider

/** The session that this component belongs to. */
export const useSession = (): SessionScope => {
  const scope = useContext(Context)
  if (!scope) throw new Error('useSession needs a SessionProvider around it')
  return scope
}

/** The transcript of a session as it is now. */
export const liveTranscript = (session: Store<FollowedSession>): Store<Transcript | undefined> => ({
  get: () => session.get().transcript,
  subscribe: session.subscribe,
})

/** The transcript that a screen shows: of the replay if one is open, otherwise the live one. */
export const shownTranscript = (
  session: Store<FollowedSession>,
  replay: Store<ReplayState>,
): Store<Transcript | undefined> => ({
  get: () => replay.get().transcript ?? session.get().transcript,
  subscribe(listener) {
    const unsubscribeSession = session.subscribe(listener)
    const unsubscribeReplay = replay.subscribe(listener)
    return () => {
      unsubscribeSession()
      unsubscribeReplay()
    }
  },
})

/** Reads a value from the transcript; the component renders again only when that value changes. */
const useFromTranscript = <T>(read: (transcript: Transcript) => T): T | undefined => {
  const { transcript } = useSession()
  const get = () => {
    const current = transcript.get()
    return current && read(current)
  }
  return useSyncExternalStore(transcript.subscribe, get, get)
}

/** The directory that the session works in. */
export const useDirectory = (): string | undefined => useFromTranscript(({ cwd }) => cwd)

/** Whether a tool call waits for an approval. */
export const useIsAwaitingApproval = (toolCallId: string): boolean =>
  useFromTranscript(({ approvals }) =>
    approvals.some((approval) => approval.toolCallId === toolCallId),
  ) ?? false

/** Whether the agent is paused, because a budget is used up. */
export const useIsPaused = (): boolean =>
  useFromTranscript(({ approvals }) => approvals.some(({ kind }) => kind === 'budget')) ?? false

/** Whether a running tool call has to wait until the approval of a call before it is answered. */
export const useWaitsForAnother = (toolCallId: string): boolean =>
  useFromTranscript((transcript) => waitsForAnother(transcript, toolCallId)) ?? false

/** Whether a notice shows this error already. */
export const useHasErrorNotice = (text: string | undefined): boolean =>
  useFromTranscript((transcript) => {
    const entries = text === undefined ? undefined : threadOf(transcript)?.entries
    return entries !== undefined && listItems(entries).some((entry) => isErrorNotice(entry, text))
  }) ?? false

/** Whether a tool call of a message that is still being written has an entry of its own already. */
export const useHasToolEntry = (toolCallId: string): boolean =>
  useFromTranscript(({ threads }) =>
    listItems(threads).some((thread) => hasToolEntry(thread, toolCallId)),
  ) ?? false

/** Looks only behind the open message: the entries of its tool calls follow it. */
const hasToolEntry = ({ entries, open }: Thread, toolCallId: string): boolean => {
  for (let index = open ?? entries.length; index < entries.length; index += 1) {
    const entry = itemAt(entries, index)
    if (entry?.kind === 'tool' && entry.toolCallId === toolCallId) return true
  }
  return false
}

/** The conversation of the subagent that a tool call started. */
export const useThread = (toolCallId: string): Thread | undefined =>
  useFromTranscript((transcript) => threadOf(transcript, toolCallId))
