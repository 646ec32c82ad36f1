import type { AgentEntry } from '../agent.ts'
import { codexModes } from './modes.ts'

/** Codex in the table of agents. */
export const codexEntry = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  programVariable: 'CODEX_BIN',
  install: 'npm install -g @openai/codex',
  login: 'Run `codex login`, or pass a key to `codex login --with-api-key`.',
  config: { variable: 'CODEX_HOME', directories: ['.codex'] },
  capabilities: {
    isLive: true,
    steer: true,
    queue: true,
    abort: true,
    resume: true,
    fork: true,
    models: true,
    modes: codexModes.map(({ id }) => id),
    thinking: ['minimal', 'low', 'medium', 'high', 'xhigh'],
    approvals: 'some',
    rewrite: false,
    images: true,
    cost: 'computed',
    liveOutput: true,
    compact: true,
    rename: true,
    stopTask: false,
  },
  otherStreams: ['codex-app-server'],
  adapter: 'codex',
  start: {
    options: [
      'mode',
      'thinkingLevel',
      'directories',
      'systemPrompt',
      'appendSystemPrompt',
      'mcpServers',
    ],
    modes: [...codexModes],
  },
  load: async () => (await import('./index.ts')).codex,
} as const satisfies AgentEntry
