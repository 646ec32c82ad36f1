import type { AgentEntry } from '../agent.ts'

/** Cline in the table of agents. */
export const clineEntry = {
  name: 'cline',
  title: 'Cline',
  program: 'cline',
  programVariable: 'CLINE_BIN',
  config: { variable: 'CLINE_DIR', directories: ['.cline'] },
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
    cost: 'reported',
    liveOutput: true,
    compact: false,
    rename: false,
    stopTask: false,
  },
  adapter: 'clineCli',
  load: async () => (await import('./index.ts')).cline,
} as const satisfies AgentEntry
