import type { AgentEntry } from '../agent.ts'

/** Qwen Code in the table of agents. */
export const qwenEntry = {
  name: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  programVariable: 'QWEN_BIN',
  config: { variable: 'QWEN_HOME', directories: ['.qwen'] },
  // Otherwise it starts itself a second time, and that process outlives the first one.
  env: { QWEN_CODE_NO_RELAUNCH: 'true' },
  capabilities: {
    isLive: true,
    steer: false,
    queue: true,
    abort: true,
    resume: true,
    fork: false,
    models: true,
    modes: ['default', 'auto-edit', 'auto', 'plan', 'yolo'],
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
      { id: 'auto-edit', label: 'Edit', description: 'Edits files without approval.' },
      { id: 'auto', label: 'Model', description: 'A model decides which calls need an approval.' },
      { id: 'plan', label: 'Plan', description: 'Reads and plans, and changes nothing.' },
      { id: 'yolo', label: 'Everything', description: 'Runs everything without approval.' },
    ],
  },
  adapter: 'qwenCode',
  projectPaths: [
    { path: '.qwen/settings.json', kind: 'settings' },
    { path: '.qwen/extensions', kind: 'extension' },
    { path: '.qwen/agents', kind: 'agent' },
    { path: '.qwen/commands', kind: 'command' },
    { path: '.qwen/skills', kind: 'skill' },
    { path: '.qwen/workflows', kind: 'extension' },
    { path: '.agents/skills', kind: 'skill' },
    { path: '.mcp.json', kind: 'mcp_servers' },
    { path: '.qwen/.env', kind: 'settings', isInherited: true },
    { path: '.env', kind: 'settings', isInherited: true },
  ],
  load: async () => (await import('./index.ts')).qwen,
} as const satisfies AgentEntry
