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
    isLive: true,
    steer: false,
    queue: true,
    abort: true,
    resume: false,
    fork: false,
    models: true,
    modes: ['default', 'autoEdit', 'plan', 'yolo'],
    thinking: [],
    approvals: 'some',
    rewrite: false,
    images: true,
    cost: 'computed',
    liveOutput: false,
    compact: false,
    rename: false,
    stopTask: false,
  },
  start: {
    options: ['mode', 'directories', 'mcpServers'],
    modes: [
      {
        id: 'default',
        label: 'Ask',
        description: 'Requests an approval for commands and for edits.',
      },
      { id: 'autoEdit', label: 'Edit', description: 'Edits files without approval.' },
      { id: 'plan', label: 'Plan', description: 'Reads and plans, and changes nothing.' },
      { id: 'yolo', label: 'Everything', description: 'Runs everything without approval.' },
    ],
  },
  adapter: 'geminiCli',
  projectPaths: [
    { path: '.gemini/settings.json', kind: 'settings' },
    { path: '.gemini/commands', kind: 'command' },
    { path: '.gemini/extensions', kind: 'extension' },
    { path: '.gemini/agents', kind: 'agent' },
    { path: '.gemini/skills', kind: 'skill' },
    { path: '.gemini/hooks', kind: 'hook' },
    { path: '.gemini/policies', kind: 'settings' },
    { path: '.agents/skills', kind: 'skill' },
    { path: '.gemini/.env', kind: 'settings', isInherited: true },
    { path: '.env', kind: 'settings', isInherited: true },
  ],
  load: async () => (await import('./index.ts')).gemini,
} as const satisfies AgentEntry
