import type { AgentEntry } from '../agent.ts'

/** Claude Code in the table of agents. */
export const claudeEntry = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  programVariable: 'CLAUDE_BIN',
  adapter: 'claudeCli',
  load: async () => (await import('./index.ts')).claude,
} as const satisfies AgentEntry
