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
  adapter: 'qwenCode',
  projectPaths: [
    { path: '.qwen/settings.json', kind: 'settings' },
    { path: '.qwen/extensions', kind: 'extension' },
    { path: '.qwen/agents', kind: 'agent' },
    { path: '.qwen/commands', kind: 'command' },
    { path: '.qwen/skills', kind: 'skill' },
    { path: '.qwen/.env', kind: 'settings' },
    { path: '.mcp.json', kind: 'mcp_servers' },
    { path: '.env', kind: 'settings' },
  ],
  load: async () => (await import('./index.ts')).qwen,
} as const satisfies AgentEntry
