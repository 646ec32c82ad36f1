import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export const root = new URL('../../', import.meta.url).pathname

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export interface SluiceOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  input?: string | Buffer
  /** Kills the process at once. */
  signal?: AbortSignal
  /** Called with the process, and with all of stdout so far whenever there is more. */
  onStdout?(child: ChildProcess, stdout: string): void
  /** The same, with stderr. */
  onStderr?(child: ChildProcess, stderr: string): void
}

/** Runs the command line from the sources, as a user would. */
export const sluice = (args: readonly string[], options: SluiceOptions = {}): Promise<Ran> =>
  run(process.execPath, [join(root, 'src/cli/main.js'), ...args], options)

/** Runs any program to its end. */
export const run = (
  program: string,
  args: readonly string[],
  options: SluiceOptions = {},
): Promise<Ran> => {
  const { promise, resolve, reject } = Promise.withResolvers<Ran>()
  const { env = process.env, cwd = root } = options
  const child = spawn(program, args, { env, cwd, stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    options.onStdout?.(child, stdout)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    options.onStderr?.(child, stderr)
  })
  options.signal?.addEventListener('abort', () => child.kill('SIGKILL'))
  child.stdin.on('error', () => child.stdin.destroy())
  child.stdin.end(options.input ?? '')
  child.on('error', reject)
  child.on('close', (code) => resolve({ code, stdout, stderr }))
  return promise
}
