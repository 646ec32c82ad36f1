import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

import { createSandbox, type FoundSetup } from './sandbox.ts'

/** A release of Claude Code that is installed. */
export interface InstalledClaude {
  bin: string
  /** As it reports it, such as `2.1.112`. */
  version: string
}

/**
 * The releases of Claude Code that CLAUDE_BINS names, divided by `:`; without it, the one that
 * CLAUDE_BIN names. Empty if there is none: tests skip then, and print why.
 */
export const installedClaudes = (): InstalledClaude[] => {
  const bins = process.env.CLAUDE_BINS ?? process.env.CLAUDE_BIN ?? ''
  return bins
    .split(':')
    .filter((bin) => bin !== '')
    .map((bin) => ({ bin, version: versionOf(bin) }))
}

const versionOf = (bin: string): string => {
  const [program, ...args] = [...argvOf(bin), '--version']
  return execFileSync(program, args, { encoding: 'utf8' }).split(' ')[0] ?? ''
}

const argvOf = (bin: string): [string, ...string[]] =>
  bin.endsWith('.js') ? [process.execPath, bin] : [bin]

/**
 * Sets up a Claude Code with the model at `modelUrl`. It needs no stdin. Default: the one that
 * CLAUDE_BIN names.
 */
export function claudeSetup(modelUrl: string, bin = process.env.CLAUDE_BIN): FoundSetup {
  if (!bin) return { setup: undefined, reason: 'CLAUDE_BIN does not name a Claude Code' }
  const { home, cwd, env, remove } = createSandbox('claude')
  return {
    setup: {
      argv: [...argvOf(bin), ...args],
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
