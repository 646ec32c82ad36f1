import type { AgentEntry } from '../agent.ts'

/** Claude Code in the table of agents. */
export const claudeEntry = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  programVariable: 'CLAUDE_BIN',
  install: 'npm install -g @anthropic-ai/claude-code',
  login: 'Run `claude` and type /login, or set ANTHROPIC_API_KEY.',
  config: {
    variable: 'CLAUDE_CONFIG_DIR',
    directories: ['.claude', '.cache/claude-cli-nodejs', '.local/state/claude'],
    files: ['.claude.json', '.claude.json.backup'],
  },
  // As a variable: the flag of the same name was added, removed and added again, and a release
  // without it exits.
  // Without the second one, its streaming mode keeps no earlier versions of the files that it edits.
  env: { CLAUDE_CODE_FORWARD_SUBAGENT_TEXT: '1', CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' },
  capabilities: {
    isLive: true,
    steer: true,
    queue: true,
    abort: true,
    resume: true,
    fork: true,
    forkBefore: true,
    rewind: true,
    models: true,
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
    thinking: ['off', 'low', 'medium', 'high', 'xhigh', 'max'],
    approvals: 'all',
    rewrite: true,
    images: true,
    files: ['text', 'pdf'],
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
  },
  otherStreams: ['claude-session-file'],
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
