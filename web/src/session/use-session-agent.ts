import { useEffect } from 'react'
import type { AgentInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'

/** What the server knows about the agent of a session; undefined until it has answered. */
export const useSessionAgent = (id: string): AgentInfo | undefined => {
  const { overview, agents } = useApp()
  const session = useStore(overview).sessions.find((each) => each.id === id)
  const { value } = useStore(agents)
  useEffect(() => {
    const { value: known, isLoading } = agents.get()
    if (known === undefined && !isLoading) agents.load()
  }, [agents])
  return value?.find(({ name }) => name === session?.agent)
}
