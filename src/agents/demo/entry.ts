import type { AgentEntry } from '../agent.ts'

/** The demo in the table of agents. */
export const demoEntry = {
  name: 'demo',
  title: 'Demo',
  // Its script comes with Sluice; the program to find is the Node that runs it.
  isBuiltIn: true,
  program: 'node',
  programVariable: 'SLUICE_NODE',
  capabilities: {
    isLive: true,
    steer: true,
    queue: true,
    abort: true,
    resume: true,
    fork: false,
    models: true,
    modes: [],
    thinking: ['off', 'low', 'high'],
    approvals: 'all',
    rewrite: true,
    images: true,
    files: ['text', 'pdf'],
    cost: 'reported',
    liveOutput: true,
    compact: true,
    rename: true,
    stopTask: false,
  },
  adapter: 'demo',
  load: async () => (await import('./index.ts')).demo,
} as const satisfies AgentEntry
