import type { AgentEntry } from '../agent.ts'

/** Cline in the table of agents. */
export const clineEntry = {
  name: 'cline',
  title: 'Cline',
  program: 'cline',
  programVariable: 'CLINE_BIN',
  install: 'npm install -g cline',
  login: 'Run `cline auth`.',
  config: { variable: 'CLINE_DIR', directories: ['.cline'] },
  capabilities: {
    isLive: true,
    steer: false,
    queue: true,
    abort: true,
    resume: true,
    fork: false,
    models: false,
    modes: [],
    thinking: [],
    approvals: 'some',
    rewrite: false,
    images: true,
    cost: 'reported',
    liveOutput: true,
    compact: false,
    rename: false,
    stopTask: false,
  },
  adapter: 'clineCli',
  load: async () => (await import('./index.ts')).cline,
} as const satisfies AgentEntry
