import type { AgentEntry } from '../agent.ts'
import { approvalModes, editMode } from '../approval-modes.ts'
import { acpCapabilities } from '../default-capabilities.ts'

/** Qwen Code in the table of agents. */
export const qwenEntry = {
  name: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  programVariable: 'QWEN_BIN',
  install: 'npm install -g @qwen-code/qwen-code',
  login: 'Run `qwen` and type /auth, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL.',
  config: { variable: 'QWEN_HOME', directories: ['.qwen'] },
  // Its launcher starts the real program. This keeps that from starting itself once more.
  env: { QWEN_CODE_NO_RELAUNCH: 'true' },
  capabilities: {
    ...acpCapabilities,
    conversations: true,
    modes: [
      approvalModes.ask,
      editMode('auto-edit'),
      { id: 'auto', label: 'Model', description: 'A model decides which calls need an approval.' },
      approvalModes.plan,
      approvalModes.everything,
    ],
    cost: 'computed',
    liveOutput: false,
  },
  start: {
    options: ['mode', 'directories', 'mcpServers'],
  },
  otherStreams: ['qwen-session-file'],
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
