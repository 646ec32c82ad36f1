import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BenchOptions } from '../part.ts'
import type { Job } from './job.ts'

/** What a program has measured, by name. */
export type Figures = Record<string, number>

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]]

/** The command that starts a server of this folder. */
export const node = (name: string, job: Job, ...more: string[]): Command => {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  return [process.execPath, '--expose-gc', file, JSON.stringify(job), ...more]
}

/** The command that starts the load program for a job. */
export const loadOf =
  (program: string, { clients, events, step }: Job, { path = '/', flags = [''] } = {}) =>
  (port: number): Command => [
    program,
    ...[port, path, clients, events, step].map(String),
    ...flags.filter((flag) => flag !== ''),
  ]

/** Runs a server and the load program against each other, and returns the figures of both. */
export const runRound = async (
  serverCommand: Command,
  loadCommand: (port: number) => Command,
  { signal }: Pick<BenchOptions, 'signal'>,
): Promise<Figures> => {
  const server = startProgram(serverCommand, signal, (line) => {
    if (line === 'passed') load?.send('go')
  })
  let load: Program | undefined
  try {
    load = startProgram(loadCommand(Number(await server.waitFor('port'))), signal, (line) => {
      if (line === 'ready') server.send('go')
      else if (line.startsWith('at ')) server.send(line)
    })
    const [seen, cost] = await Promise.all([load.waitFor('done'), server.waitFor('done')])
    const figures: Figures = { ...JSON.parse(seen), ...JSON.parse(cost) }
    if (figures.wrong || figures.behind) throw new Error(`Events are missing: ${seen}`)
    return figures
  } finally {
    server.stop()
    load?.stop()
    await Promise.all([server.ended, load?.ended])
  }
}

/** A program that reports its progress in lines. */
export interface Program {
  readonly pid: number
  /** Writes a line to its stdin. */
  send(line: string): void
  /** Resolves when the program prints a line that starts with `word`, with the rest of that line. */
  waitFor(word: string): Promise<string>
  stop(): void
  /** Resolves when the program has ended. */
  readonly ended: Promise<void>
}

/** Starts a program. `onLine` gets every line that it prints. */
export const startProgram = (
  [program, ...args]: Command,
  signal: AbortSignal,
  onLine: (line: string) => void = () => {},
): Program => {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], signal })
  const lines: string[] = []
  let onChange = () => {}
  let hasEnded = false
  const ended = once(child, 'close').then(
    () => {},
    () => {}, // the run was interrupted
  )
  void ended.then(() => {
    hasEnded = true
    onChange()
  })
  child.stdin.on('error', () => {}) // it may have ended: `waitFor` reports that
  createInterface({ input: child.stdout }).on('line', (line) => {
    onLine(line)
    lines.push(line)
    onChange()
  })
  return {
    pid: child.pid ?? 0,
    send: (line) => void child.stdin.write(`${line}\n`),
    async waitFor(word) {
      for (;;) {
        const found = lines.find((line) => line === word || line.startsWith(`${word} `))
        if (found !== undefined) return found.slice(word.length + 1)
        if (hasEnded)
          throw new Error(`${program} ${args.join(' ')} ended before it printed “${word}”.`)
        await new Promise<void>((resolve) => {
          onChange = resolve
        })
      }
    },
    stop: () => void child.kill('SIGKILL'),
    ended,
  }
}
