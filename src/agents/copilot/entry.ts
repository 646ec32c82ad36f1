import type { AgentEntry } from '../agent.ts'

/** GitHub Copilot in the table of agents. */
export const copilotEntry = {
  name: 'copilot',
  title: 'GitHub Copilot',
  program: 'copilot',
  programVariable: 'COPILOT_BIN',
  install: 'npm install -g @github/copilot',
  login: 'Run `copilot login`, or set COPILOT_GITHUB_TOKEN.',
  config: { variable: 'COPILOT_HOME', directories: ['.copilot', '.cache/copilot'] },
  capabilities: {
    isLive: true,
    steer: false,
    queue: true,
    abort: true,
    resume: true,
    fork: false,
    models: false,
    modes: [
      'https://agentclientprotocol.com/protocol/session-modes#agent',
      'https://agentclientprotocol.com/protocol/session-modes#plan',
      'https://agentclientprotocol.com/protocol/session-modes#autopilot',
    ],
    thinking: [],
    approvals: 'some',
    rewrite: false,
    images: true,
    cost: 'none',
    liveOutput: true,
    compact: false,
    rename: false,
    stopTask: false,
  },
  adapter: 'copilotCli',
  load: async () => (await import('./index.ts')).copilot,
} as const satisfies AgentEntry
