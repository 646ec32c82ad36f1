import type { AgentEntry } from '../agent.ts'
import { oneShotCapabilities } from '../default-capabilities.ts'

/** Any program that prints text, in the table of agents. */
export const textEntry = {
  name: 'text',
  title: 'Plain text',
  program: 'node',
  programVariable: 'SLUICE_TEXT_BIN',
  isBuiltIn: true,
  runsCommand: true,
  capabilities: { ...oneShotCapabilities, liveOutput: true },
  adapter: 'text',
  load: async () => (await import('./index.ts')).text,
} as const satisfies AgentEntry
