import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { installedClaudes } from '../agents/claude.ts'
import { type Block, type Script, scripts } from '../model/scripts.ts'
import { type Model, startModel } from '../model/server.ts'
import { openTerminalServer } from './terminal-server.ts'
import { openTmuxScreen, type TmuxScreen, whyNoTmux } from './tmux-screen.ts'

/** A Claude Code with a scripted model, and directories of its own. */
export interface ClaudeRig {
  model: Model
  home: string
  /** Where it works. */
  cwd: string
  env: Record<string, string>
  bin: string
  close(): Promise<void>
}

/** Why tests with a Claude Code in a terminal cannot run here; undefined if they can. */
export const whyNoTerminal = (): string | undefined => {
  if (installedClaudes().length === 0) return 'CLAUDE_BIN does not name a Claude Code'
  return whyNoTmux()
}

const bash = (command: string): Block => ({
  type: 'tool_use',
  name: 'Bash',
  input: { command, description: 'Make a file' },
})
const says = (text: string): Block => ({ type: 'text', deltas: [text] })
const script = (...blocks: Block[]): Script => ({
  steps: [
    { kind: 'reply', blocks },
    { kind: 'reply', blocks: [says('It is over.')] },
  ],
})

const ask = {
  type: 'tool_use' as const,
  name: 'AskUserQuestion',
  input: {
    questions: [
      {
        question: 'Which colour?',
        header: 'Colour',
        multiSelect: false,
        options: [
          { label: 'Red', description: 'Like a rose' },
          { label: 'Blue', description: 'Like the sea' },
        ],
      },
    ],
  },
}

/** What the model does in these tests, by the word in the prompt. */
const terminalScripts: Record<string, Script> = {
  ...scripts,
  touch: script(bash('touch made.txt')),
  question: script(ask),
  plan: script({ type: 'tool_use', name: 'ExitPlanMode', input: { plan: '1. Think.' } }),
  // Two calls at once, each of which is asked about.
  both: script(bash('touch one.txt'), bash('touch two.txt')),
  // A subagent, which calls a tool.
  delegate: script({
    type: 'tool_use',
    name: 'Task',
    input: {
      description: 'Make a file',
      prompt: 'scenario:touch',
      subagent_type: 'general-purpose',
      run_in_background: false,
    },
  }),
  'other-tool': script(bash('mkdir -p /tmp/sluice-never-made')),
  twice: {
    steps: [
      { kind: 'reply', blocks: [bash('touch made.txt')] },
      { kind: 'reply', blocks: [bash('touch made-again.txt')] },
      { kind: 'reply', blocks: [says('It is over.')] },
    ],
  },
}

const apiKey = 'sk-ant-dummy-key-for-tests-0123456789'

/** Starts the model, and makes a home in which Claude Code asks nothing at its start. */
const openClaudeRig = async (): Promise<ClaudeRig> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-terminal-')))
  const [home, cwd, temp] = ['home', 'project', 'tmp'].map((name) => join(root, name))
  if (!home || !cwd || !temp) throw new Error('no directories')
  for (const each of [home, cwd, temp, join(home, '.claude')]) mkdirSync(each)
  const config = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  }
  writeFileSync(join(home, '.claude', '.claude.json'), JSON.stringify(config))
  writeFileSync(join(home, '.claude', 'settings.json'), '{\n  "model": "sonnet"\n}\n')
  const model = await startModel(terminalScripts)
  return {
    ...{ model, home, cwd, bin: installedClaudes()[0]?.bin ?? '' },
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: home, TMPDIR: temp, TERM: 'xterm-256color' },
      ...{ CLAUDE_CONFIG_DIR: join(home, '.claude'), CLAUDE_CODE_TMPDIR: temp },
      ...{ ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: model.url },
      ...{ DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', DISABLE_ERROR_REPORTING: '1' },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    async close() {
      await model.close()
      rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

/** A Claude Code on a screen. */
const openTerminal = async (
  { home, cwd, env, bin }: ClaudeRig,
  ...args: string[]
): Promise<TmuxScreen> => {
  const command = [bin, '--permission-mode', 'default', ...args]
  const screen = openTmuxScreen({ home, cwd, env, command })
  await screen.shows(/❯|\? for shortcuts/)
  return screen
}

/** A server, and a Claude Code whose hooks ask there. */
export const openAskingClaude = async (options: { watches?: boolean } = {}) => {
  const rig = await openClaudeRig()
  onTestFinished(rig.close)
  const server = await openTerminalServer(rig.env, rig.cwd, options)
  expect((await server.hooks('install', 'claude', '--yes')).stderr).toBe('')
  return {
    ...{ ...server, rig },
    has: (name: string) => existsSync(join(rig.cwd, name)),
    async terminal(...args: string[]) {
      const opened = await openTerminal(rig, ...args)
      onTestFinished(opened.close)
      return opened
    },
  }
}
