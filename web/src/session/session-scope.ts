import { createContext, useContext, useSyncExternalStore } from 'react'
import { at, items, type Thread, type Transcript, threadOf } from '../../../src/transcript/index.ts'
import type { Store } from '../lib/store.ts'

/** The session that a view belongs to, and what it shows of it: now, or some moment before. */
export interface SessionScope {
  readonly id: string
  readonly transcript: Store<Transcript | undefined>
  /** Shows the session as it was before one of its events. */
  replayBefore(seq: number): void
}

const Context = createContext<SessionScope | undefined>(undefined)
export const SessionProvider = Context.Provider

export const useSession = (): SessionScope => {
  const scope = useContext(Context)
  if (!scope) throw new Error('useSession needs a SessionProvider around it')
  return scope
}

/** Whether a person is being asked about a call. */
export const useIsAwaitingApproval = (toolCallId: string): boolean => {
  const { transcript } = useSession()
  const read = () =>
    transcript.get()?.approvals.some((each) => each.toolCallId === toolCallId) ?? false
  return useSyncExternalStore(transcript.subscribe, read, read)
}

/** Whether a call of a message in flight has a row of its own already. */
export const useHasToolEntry = (toolCallId: string): boolean => {
  const { transcript } = useSession()
  const read = () => {
    const whole = transcript.get()
    return whole !== undefined && items(whole.threads).some((each) => hasTool(each, toolCallId))
  }
  return useSyncExternalStore(transcript.subscribe, read, read)
}

/** Tools stand behind the message that calls them. */
const hasTool = ({ entries, open }: Thread, toolCallId: string): boolean => {
  for (let index = open ?? entries.length; index < entries.length; index += 1) {
    const entry = at(entries, index)
    if (entry?.kind === 'tool' && entry.toolCallId === toolCallId) return true
  }
  return false
}

/** What happens inside a call; drawn again only when something does. */
export const useThread = (toolCallId: string): Thread | undefined => {
  const { transcript } = useSession()
  const read = () => {
    const whole = transcript.get()
    return whole && threadOf(whole, toolCallId)
  }
  return useSyncExternalStore(transcript.subscribe, read, read)
}
