import type { AgentEntry } from '../agent.ts'

/** Pi in the table of agents. */
export const piEntry = {
  name: 'pi',
  title: 'Pi',
  program: 'pi',
  programVariable: 'PI_BIN',
  config: { variable: 'PI_CODING_AGENT_DIR', directories: ['.pi'] },
  capabilities: {
    isLive: true,
    steer: true,
    queue: true,
    abort: true,
    resume: true,
    fork: false,
    models: true,
    modes: [],
    thinking: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    approvals: 'all',
    rewrite: true,
    images: true,
    cost: 'reported',
    liveOutput: true,
    compact: true,
    rename: true,
    stopTask: false,
  },
  adapter: 'piSdk',
  waitsSince: '0.84.0',
  projectPaths: [
    { path: '.pi/settings.json', kind: 'settings' },
    { path: '.pi/extensions', kind: 'extension' },
    { path: '.pi/prompts', kind: 'command' },
    { path: '.pi/skills', kind: 'skill' },
    { path: '.agents/skills', kind: 'skill', isInherited: true },
  ],
  load: async () => (await import('./index.ts')).pi,
} as const satisfies AgentEntry
