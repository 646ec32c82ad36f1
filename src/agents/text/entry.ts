import type { AgentEntry } from '../agent.ts'

/** Any program that prints text, in the table of agents. */
export const textEntry = {
  name: 'text',
  title: 'Plain text',
  program: 'node',
  programVariable: 'SLUICE_TEXT_BIN',
  isBuiltIn: true,
  runsCommand: true,
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
  adapter: 'text',
  load: async () => (await import('./index.ts')).text,
} as const satisfies AgentEntry
