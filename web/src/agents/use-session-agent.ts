import type { AgentInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { useAgents } from './use-agents.ts'

/** What the server knows about the agent of a session; undefined until it has answered. */
export const useSessionAgent = (id: string): AgentInfo | undefined => {
  const session = useStore(useApp().overview).sessions.find((each) => each.id === id)
  return useAgents()?.find(({ name }) => name === session?.agent)
}
