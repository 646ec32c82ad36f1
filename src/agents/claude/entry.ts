import type { AgentEntry } from '../agent.ts'

/** Claude Code in the table of agents. */
export const claudeEntry = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  programVariable: 'CLAUDE_BIN',
  config: {
    variable: 'CLAUDE_CONFIG_DIR',
    directories: ['.claude', '.cache/claude-cli-nodejs', '.local/state/claude'],
    files: ['.claude.json', '.claude.json.backup'],
  },
  // As a variable: the flag of the same name was added, removed and added again, and a release
  // without it exits.
  env: { CLAUDE_CODE_FORWARD_SUBAGENT_TEXT: '1' },
  capabilities: {
    isLive: true,
    steer: true,
    queue: true,
    abort: true,
    resume: true,
    fork: false,
    models: true,
    modes: ['default', 'plan', 'acceptEdits', 'auto', 'dontAsk', 'bypassPermissions'],
    thinking: ['off', 'low', 'medium', 'high', 'xhigh', 'max'],
    approvals: 'all',
    rewrite: true,
    images: true,
    cost: 'reported',
    liveOutput: false,
    compact: true,
    rename: true,
    stopTask: true,
  },
  start: {
    options: [
      'mode',
      'thinkingLevel',
      'allowedTools',
      'deniedTools',
      'directories',
      'systemPrompt',
      'appendSystemPrompt',
      'mcpServers',
    ],
    allowedToolsMeaning: 'no_approval',
    modes: [
      { id: 'default', label: 'Ask', description: 'Requests an approval for what may do harm.' },
      { id: 'plan', label: 'Plan', description: 'Reads and plans, and changes nothing.' },
      { id: 'acceptEdits', label: 'Accept edits', description: 'Edits files without approval.' },
      { id: 'auto', label: 'Auto', description: 'A model decides what needs an approval.' },
      { id: 'dontAsk', label: 'Do not ask', description: 'Denies what would need an approval.' },
      {
        id: 'bypassPermissions',
        label: 'Bypass',
        description: 'Runs everything without approval.',
        needsRestart: true,
      },
    ],
  },
  adapter: 'claudeCli',
  projectPaths: [
    { path: '.claude/settings.json', kind: 'settings', isInherited: true },
    { path: '.claude/settings.local.json', kind: 'settings', isInherited: true },
    { path: '.mcp.json', kind: 'mcp_servers', isInherited: true },
    { path: '.claude/hooks', kind: 'hook', isInherited: true },
    { path: '.claude/agents', kind: 'agent', isInherited: true },
    { path: '.claude/commands', kind: 'command', isInherited: true },
    { path: '.claude/skills', kind: 'skill', isInherited: true },
  ],
  load: async () => (await import('./index.ts')).claude,
} as const satisfies AgentEntry
