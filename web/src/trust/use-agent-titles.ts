import { useEffect } from 'react'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'

/** What people call an agent; its name until the agents are loaded. */
export const useAgentTitles = (): ((name: string) => string) => {
  const { agents } = useApp()
  const { value } = useStore(agents)
  useEffect(() => agents.load(), [agents])
  return (name) => value?.find((agent) => agent.name === name)?.title ?? name
}
