import type { AgentEntry } from '../agent.ts'
import { approvalModes, editMode } from '../approval-modes.ts'
import { acpCapabilities } from '../default-capabilities.ts'

/** Gemini CLI in the table of agents. */
export const geminiEntry = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  programVariable: 'GEMINI_BIN',
  install: 'npm install -g @google/gemini-cli',
  login: 'Run `gemini` and choose how to log in, or set GEMINI_API_KEY.',
  config: { variable: 'GEMINI_CLI_HOME', directories: ['.gemini'] },
  // Otherwise it starts itself a second time, and the first process ignores signals.
  env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
  capabilities: {
    ...acpCapabilities,
    conversations: false,
    resume: false,
    modes: [approvalModes.ask, editMode('autoEdit'), approvalModes.plan, approvalModes.everything],
    cost: 'computed',
    liveOutput: false,
  },
  start: {
    options: ['mode', 'directories', 'mcpServers'],
  },
  otherStreams: ['gemini-session-file'],
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
