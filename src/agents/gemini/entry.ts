import type { AgentEntry } from '../agent.ts'

/** Gemini CLI in the table of agents. */
export const geminiEntry = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  programVariable: 'GEMINI_BIN',
  config: { variable: 'GEMINI_CLI_HOME', directories: ['.gemini'] },
  // Otherwise it starts itself a second time, and the first process ignores signals.
  env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
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
    cost: 'computed',
    liveOutput: false,
    compact: false,
    rename: false,
    stopTask: false,
  },
  adapter: 'geminiCli',
  projectPaths: [
    { path: '.gemini/settings.json', kind: 'settings' },
    { path: '.gemini/commands', kind: 'command' },
    { path: '.gemini/extensions', kind: 'extension' },
    { path: '.gemini/agents', kind: 'agent' },
    { path: '.gemini/skills', kind: 'skill' },
    { path: '.gemini/hooks', kind: 'hook' },
    { path: '.gemini/.env', kind: 'settings' },
    { path: '.env', kind: 'settings' },
  ],
  load: async () => (await import('./index.ts')).gemini,
} as const satisfies AgentEntry
