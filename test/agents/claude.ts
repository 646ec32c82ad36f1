import { join } from 'node:path'

import { type AgentSetup, createSandbox } from './sandbox.ts'

/** The setup; if Claude Code is not installed, the reason to skip the test. */
export type ClaudeSetup = { setup: AgentSetup } | { setup: undefined; reason: string }

/** Sets up the Claude Code that CLAUDE_BIN names, with the model at `modelUrl`. It needs no stdin. */
export function claudeSetup(modelUrl: string): ClaudeSetup {
  const bin = process.env.CLAUDE_BIN
  if (!bin) return { setup: undefined, reason: 'CLAUDE_BIN does not name a Claude Code' }
  const { home, cwd, env, remove } = createSandbox('claude')
  const program = bin.endsWith('.js') ? [process.execPath, bin] : [bin]
  return {
    setup: {
      argv: [...program, ...args],
      env: {
        ...env,
        ...quiet,
        CLAUDE_CONFIG_DIR: join(home, 'claude'),
        CLAUDE_CODE_TMPDIR: env.TMPDIR ?? home,
        ANTHROPIC_API_KEY: 'sk-ant-dummy',
        ANTHROPIC_BASE_URL: modelUrl,
      },
      cwd,
      remove,
    },
  }
}

const args = [
  '-p',
  '--output-format=stream-json',
  '--verbose',
  '--include-partial-messages',
  '--model=claude-sonnet-4-5',
  '--allowedTools=Bash,Read',
]

const quiet = {
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
}
