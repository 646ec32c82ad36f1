import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SandboxInfo } from '../api/types.ts'
import { Fault } from '../shared/fault.ts'
import { findOnPath } from './find-agent.ts'
import { maskedPaths } from './masked-paths.ts'
import {
  privilegesFor,
  type SandboxedCommand,
  sandboxFlags,
  variableFlags,
} from './sandbox-flags.ts'

/**
 * `auto`: agents run in a sandbox where bubblewrap works. `on`: they do, or nothing starts. `project`:
 * also, they can write only to the project, their own settings and a temporary directory. `off`: they
 * run without a sandbox.
 */
export type SandboxMode = 'auto' | 'on' | 'off' | 'project'

/** How agents run on this machine. */
export interface Sandbox {
  /** What is shown to people. */
  readonly info: SandboxInfo
  /** Whether agents must not see a path. Without a sandbox, Sluice itself opens none for them. */
  hides?(path: string): boolean
  /**
   * The command that runs a program inside the sandbox; absent when there is none. If descriptor 3 is
   * open, it is the stdout of the program.
   */
  wrap?(command: SandboxedCommand): SandboxCall
}

/** A command that runs a program inside the sandbox. */
export interface SandboxCall {
  program: string
  args: string[]
  /** What the command reads from descriptor 4: other users can see arguments, but not this. */
  flags?: string
}

export interface SandboxOptions {
  mode?: SandboxMode | undefined
  /** What agents must not see: the directories with data and sockets of the server, and files of it. */
  hidden: readonly string[]
  env?: NodeJS.ProcessEnv
}

/**
 * Finds bubblewrap and tries it once, with the flags that agents get. Rejects with a
 * `sandbox_unavailable` fault if the mode requires a sandbox and there is none.
 */
export const openSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const { mode = 'auto', env = process.env } = options
  if (mode === 'off') return without('It was turned off with `--sandbox off`.', options)
  const found = await findWorking(options, mode === 'project', env)
  if (typeof found !== 'string') return { ...found, hides: hidesOf(options) }
  if (mode === 'auto') return without(found, options)
  throw new Fault(
    'sandbox_unavailable',
    `There is no sandbox for \`--sandbox ${mode}\`: ${found} See docs/sandbox.md, or leave \`--sandbox\` out to run agents without one.`,
  )
}

const without = (reason: string, options: SandboxOptions): Sandbox => ({
  info: { mode: 'off', reason },
  hides: hidesOf(options),
})

const hidesOf =
  ({ hidden }: SandboxOptions) =>
  (path: string): boolean => {
    const { directories, files } = maskedPaths(hidden)
    return [...directories, ...files].some((each) => `${path}/`.startsWith(`${each}/`))
  }

/** A sandbox that was tried; or the reason why there is none. */
const findWorking = async (
  { hidden }: SandboxOptions,
  isProject: boolean,
  env: NodeJS.ProcessEnv,
): Promise<Sandbox | string> => {
  if (process.platform !== 'linux') return 'Sandboxes need bubblewrap, which runs on Linux only.'
  const bwrap = findOnPath('bwrap', env)
  if (bwrap === undefined) return 'Bubblewrap is not installed (no `bwrap` on PATH).'
  let reason = ''
  for (const privileges of privilegesFor(process.getuid?.() ?? 0)) {
    const wrap = (command: SandboxedCommand, more: readonly string[] = []): SandboxCall => {
      const flags = variableFlags(command.innerEnv ?? {})
      return {
        program: bwrap,
        args: [
          ...(flags === '' ? [] : ['--args', '4']),
          ...sandboxFlags({ command, privileges, isProject, masks: maskedPaths(hidden, more) }),
          ...['--', '/bin/sh', '-c', moveOutput, 'sh', command.program, ...command.args],
        ],
        ...(flags !== '' && { flags }),
      }
    }
    reason = await failureOf(wrap, isProject)
    if (reason === '') return { info: { mode: isProject ? 'project' : 'on' }, wrap }
  }
  return reason
}

type WrapWithMasks = (command: SandboxedCommand, more: readonly string[]) => SandboxCall

/**
 * Bubblewrap holds its own stdout open until it ends, but no descriptor above 2. On descriptor 3, we see
 * when the program closes its output.
 */
const moveOutput = 'if true 2>/dev/null >&3; then exec "$@" >&3 3>&-; else exec "$@"; fi'

/** Fails unless the directory of its argument is empty and the sandbox has processes of its own. */
const check = `[ -z "$(ls -A "$1")" ] && read -r name </proc/1/comm && [ "$name" = bwrap ]`
/** Fails also if the root directory is writable. */
const projectCheck = `${check} && ! [ -w / ]`

const run = promisify(execFile)

/** Runs a program in the sandbox, and returns why that failed; an empty text if it works. */
const failureOf = async (wrap: WrapWithMasks, isProject: boolean): Promise<string> => {
  let directory: string | undefined
  try {
    directory = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'))
    const hidden = join(directory, 'hidden')
    const cwd = join(directory, 'project')
    for (const each of [hidden, cwd]) mkdirSync(each)
    writeFileSync(join(hidden, 'secret'), '')
    const inside = ['-c', isProject ? projectCheck : check, 'sh', hidden]
    const { program, args } = wrap({ program: '/bin/sh', args: inside, cwd }, [hidden])
    await run(program, args, { timeout: 10_000, killSignal: 'SIGKILL' })
    return ''
  } catch (cause) {
    return `Bubblewrap does not work here: ${lastLine(cause)}`
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  }
}

/** The last line that bubblewrap printed, or why it was not started. */
const lastLine = (cause: unknown): string => {
  if (cause instanceof Error && !('stderr' in cause)) return cause.message
  const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
  return stderr.split('\n').at(-1) || 'it did not hide a directory from a test program.'
}
