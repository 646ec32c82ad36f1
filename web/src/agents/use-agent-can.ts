import { useSyncExternalStore } from 'react'
import type { Capabilities } from '../../../src/events/types.ts'
import { useApp } from '../app/use-app.ts'
import { isReadOnly } from '../session/is-read-only.ts'

/**
 * Whether the agent of a session can do something. False until the agents are known, and for a session
 * that is read-only. The component renders again only when that changes.
 */
export const useAgentCan = (id: string, what: keyof Capabilities): boolean => {
  const { overview, agents } = useApp()
  const get = (): boolean => {
    const session = overview.get().sessions.find((each) => each.id === id)
    const agent = agents.get().value?.find(({ name }) => name === session?.agent)
    return !isReadOnly(session) && agent?.capabilities?.[what] === true
  }
  const subscribe = (listener: () => void) => {
    const stops = [overview.subscribe(listener), agents.subscribe(listener)]
    return () => {
      for (const stop of stops) stop()
    }
  }
  return useSyncExternalStore(subscribe, get, get)
}
