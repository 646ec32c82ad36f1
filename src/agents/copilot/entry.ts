import type { AgentEntry } from '../agent.ts'

/** GitHub Copilot in the table of agents. */
export const copilotEntry = {
  name: 'copilot',
  title: 'GitHub Copilot',
  program: 'copilot',
  programVariable: 'COPILOT_BIN',
  config: { variable: 'COPILOT_HOME', directories: ['.copilot', '.cache/copilot'] },
  capabilities: {
    isLive: false,
    steer: false,
    queue: false,
    abort: false,
    resume: false,
    fork: false,
    models: false,
    modes: [],
    thinking: [],
    approvals: 'none',
    rewrite: false,
    images: false,
    cost: 'none',
    liveOutput: true,
    compact: false,
    rename: false,
    stopTask: false,
  },
  adapter: 'copilotCli',
  load: async () => (await import('./index.ts')).copilot,
} as const satisfies AgentEntry
