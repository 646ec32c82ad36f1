import type { AgentEntry } from '../agent.ts'
import { acpCapabilities } from '../default-capabilities.ts'

/** OpenCode in the table of agents. */
export const openCodeEntry = {
  name: 'opencode',
  title: 'OpenCode',
  program: 'opencode',
  programVariable: 'OPENCODE_BIN',
  install: 'npm install -g opencode-ai',
  login: 'Run `opencode auth login`, or set the key of a provider, such as ANTHROPIC_API_KEY.',
  config: {
    variable: 'OPENCODE_CONFIG_DIR',
    directories: [
      '.config/opencode',
      '.local/share/opencode',
      '.local/state/opencode',
      '.cache/opencode',
    ],
  },
  capabilities: { ...acpCapabilities, steer: true, conversations: true },
  start: { options: ['mode', 'thinkingLevel', 'mcpServers'] },
  otherStreams: ['opencode-serve', 'opencode-session-file'],
  adapter: 'openCode',
  projectPaths: [
    { path: 'opencode.json', kind: 'settings', isInherited: true },
    { path: 'opencode.jsonc', kind: 'settings', isInherited: true },
    { path: '.opencode/opencode.json', kind: 'settings', isInherited: true },
    { path: '.opencode/opencode.jsonc', kind: 'settings', isInherited: true },
    { path: '.opencode/plugin', kind: 'extension', isInherited: true },
    { path: '.opencode/plugins', kind: 'extension', isInherited: true },
    { path: '.opencode/tool', kind: 'extension', isInherited: true },
    { path: '.opencode/tools', kind: 'extension', isInherited: true },
    { path: '.opencode/agent', kind: 'agent', isInherited: true },
    { path: '.opencode/agents', kind: 'agent', isInherited: true },
    { path: '.opencode/command', kind: 'command', isInherited: true },
    { path: '.opencode/commands', kind: 'command', isInherited: true },
    { path: '.opencode/skill', kind: 'skill', isInherited: true },
    { path: '.opencode/skills', kind: 'skill', isInherited: true },
    { path: '.claude/skills', kind: 'skill', isInherited: true },
    { path: '.agents/skills', kind: 'skill', isInherited: true },
  ],
  load: async () => (await import('./index.ts')).openCode,
} as const satisfies AgentEntry
