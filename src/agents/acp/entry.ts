import type { AgentEntry } from '../agent.ts'
import { acpCapabilities } from '../default-capabilities.ts'

/** Any agent that speaks the Agent Client Protocol, in the table of agents. */
export const acpEntry = {
  name: 'acp',
  title: 'ACP agent',
  // Which program it is depends on the command that a person gives.
  program: 'acp-agent',
  programVariable: 'ACP_BIN',
  capabilities: acpCapabilities,
  start: { options: ['mode', 'thinkingLevel', 'directories', 'mcpServers'] },
  adapter: 'acp',
  load: async () => (await import('./index.ts')).acp,
} as const satisfies AgentEntry
