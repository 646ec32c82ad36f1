import type { AgentEntry } from '../agent.ts'
import { acpCapabilities } from '../default-capabilities.ts'

const modeId = (name: string): string =>
  `https://agentclientprotocol.com/protocol/session-modes#${name}`

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
    ...acpCapabilities,
    conversations: true,
    models: false,
    modes: [
      { id: modeId('agent'), label: 'Agent', description: 'Requests approvals while it works.' },
      { id: modeId('plan'), label: 'Plan', description: 'Plans before it changes anything.' },
      {
        id: modeId('autopilot'),
        label: 'Autopilot',
        description: 'Runs everything without approval, until the task is done.',
      },
    ],
    cost: 'none',
  },
  start: { options: ['mode', 'mcpServers'] },
  otherStreams: ['copilot-session-file'],
  adapter: 'copilotCli',
  projectPaths: [
    { path: '.github/hooks', kind: 'settings', isInherited: true },
    { path: '.github/copilot/settings.json', kind: 'settings', isInherited: true },
    { path: '.github/copilot/settings.local.json', kind: 'settings', isInherited: true },
    { path: '.claude/settings.json', kind: 'settings', isInherited: true },
    { path: '.claude/settings.local.json', kind: 'settings', isInherited: true },
    { path: '.mcp.json', kind: 'mcp_servers', isInherited: true },
    { path: '.github/mcp.json', kind: 'mcp_servers', isInherited: true },
    { path: '.github/lsp.json', kind: 'settings', isInherited: true },
    { path: '.github/extensions', kind: 'extension', isInherited: true },
    { path: '.github/agents', kind: 'agent', isInherited: true },
    { path: '.claude/agents', kind: 'agent', isInherited: true },
    { path: '.github/skills', kind: 'skill', isInherited: true },
    { path: '.claude/skills', kind: 'skill', isInherited: true },
    { path: '.agents/skills', kind: 'skill', isInherited: true },
    { path: '.claude/commands', kind: 'command', isInherited: true },
  ],
  load: async () => (await import('./index.ts')).copilot,
} as const satisfies AgentEntry
