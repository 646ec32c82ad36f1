import type { ConfiguredAgent } from './configured-agent.ts'

/** Agents that speak ACP and need no configuration. They are listed where their program is installed. */
export const presets: readonly ConfiguredAgent[] = [
  {
    name: 'claude-agent-acp',
    title: 'Claude Code over ACP',
    command: ['claude-agent-acp'],
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    login: 'Run `claude` and type /login, or set ANTHROPIC_API_KEY.',
    readsFilesOf: 'claude',
  },
  {
    name: 'codex-acp',
    title: 'Codex over ACP',
    command: ['codex-acp'],
    install: 'npm install -g @agentclientprotocol/codex-acp',
    login: 'Run `codex login`, or set OPENAI_API_KEY.',
    readsFilesOf: 'codex',
  },
  {
    name: 'pi-acp',
    title: 'Pi over ACP',
    command: ['pi-acp'],
    install: 'npm install -g pi-acp',
    login: 'Run `pi` and type /login, or set the key of a provider.',
    readsFilesOf: 'pi',
  },
  {
    name: 'goose',
    title: 'Goose',
    command: ['goose', 'acp'],
    install: 'https://block.github.io/goose/docs/getting-started/installation',
    login: 'Run `goose configure`.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    command: ['cursor-agent', 'acp'],
    install: 'https://cursor.com/cli',
    login: 'Run `cursor-agent login`, or set CURSOR_API_KEY.',
  },
]
