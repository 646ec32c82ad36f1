import { useEffect } from 'react'
import type { AgentInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'

/** The agents of the server, loaded once; undefined until it has answered. */
export const useAgents = (): readonly AgentInfo[] | undefined => {
  const { agents } = useApp()
  useEffect(() => {
    const { value, isLoading } = agents.get()
    if (value === undefined && !isLoading) agents.load()
  }, [agents])
  return useStore(agents).value
}
