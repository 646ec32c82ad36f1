import { spawn, spawnSync } from 'node:child_process'

/** What makes a terminal for a program here; the reason when nothing does. */
export const ptyMaker = ((): { wrap?: (argv: readonly string[]) => string[]; reason?: string } => {
  const has = (program: string, ...args: string[]) =>
    spawnSync(program, args, { stdio: 'ignore' }).status === 0
  // util-linux has `-c`; the `script` of the BSDs and of macOS has not.
  if (has('script', '-qfec', 'true', '/dev/null'))
    return { wrap: (argv) => ['script', '-qfec', argv.map(quoted).join(' '), '/dev/null'] }
  if (has('python3', '-c', 'import pty'))
    return {
      wrap: (argv) => [
        'python3',
        '-c',
        'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)',
        ...argv,
      ],
    }
  return { reason: 'neither script (util-linux) nor python3 can make a terminal' }
})()

const quoted = (argument: string) => `'${argument.replaceAll("'", `'\\''`)}'`

/** Runs a program in a terminal of its own, as a person sees it. */
export const startInTerminal = (
  argv: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
) => {
  const [program = '', ...args] = ptyMaker.wrap?.(argv) ?? argv
  const child = spawn(program, args, { cwd, env: { ...env, TERM: 'xterm' }, stdio: 'pipe' })
  const ended = Promise.withResolvers<number | null>()
  const waiting = new Set<() => void>()
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    for (const check of waiting) check()
  })
  child.stdin.on('error', () => child.stdin.destroy())
  child.on('close', (code) => ended.resolve(code))

  return {
    screen: () => screen,
    type: (keys: string): void => void child.stdin.write(keys),
    /** Waits for a text on the screen, from a place in what was shown; gives the place behind it. */
    async shows(text: string, from = 0): Promise<number> {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const check = () => {
        const at = screen.indexOf(text, from)
        if (at >= 0) resolve(at + text.length)
      }
      waiting.add(check)
      void ended.promise.then(() => reject(new Error(`it ended without ${text}:\n${screen}`)))
      check()
      try {
        return await promise
      } finally {
        waiting.delete(check)
      }
    },
    /** Settles when it has ended. */
    ended: ended.promise,
    kill: () => child.kill('SIGKILL'),
  }
}
