import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Setting } from '../setting.ts'
import type { Job } from './job.ts'

/** What a program found, each figure under its name. */
export type Figures = Record<string, number>

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]]

/** One of the servers of this folder. */
export const node = (name: string, job: Job, ...more: string[]): Command => {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  return [process.execPath, '--expose-gc', file, JSON.stringify(job), ...more]
}

/** The load program, for a job. */
export const loadOf =
  (program: string, { clients, events, step }: Job, { path = '/', options = [''] } = {}) =>
  (port: number): Command => [
    program,
    ...[port, path, clients, events, step].map(String),
    ...options.filter((option) => option !== ''),
  ]

/** Lets a server and the load program work on each other, and gives the figures of both. */
export const runRound = async (
  server: Command,
  load: (port: number) => Command,
  { signal }: Pick<Setting, 'signal'>,
): Promise<Figures> => {
  const serving = start(server, signal, (line) => {
    if (line === 'passed') loading?.tell('go')
  })
  let loading: Program | undefined
  try {
    loading = start(load(Number(await serving.said('port'))), signal, (line) => {
      if (line === 'ready') serving.tell('go')
      else if (line.startsWith('at ')) serving.tell(line)
    })
    const [seen, cost] = await Promise.all([loading.said('done'), serving.said('done')])
    const figures: Figures = { ...JSON.parse(seen), ...JSON.parse(cost) }
    if (figures.wrong || figures.behind) throw new Error(`events are missing: ${seen}`)
    return figures
  } finally {
    serving.stop()
    loading?.stop()
    await Promise.all([serving.gone, loading?.gone])
  }
}

/** A program that says in lines what it does. */
export interface Program {
  readonly pid: number
  tell(line: string): void
  /** Settles when a line begins with a word, and gives what stands behind it. */
  said(word: string): Promise<string>
  /** Ends it. */
  stop(): void
  /** Settles when it is gone. */
  readonly gone: Promise<void>
}

export const start = (
  [program, ...args]: Command,
  signal: AbortSignal,
  onLine: (line: string) => void = () => {},
): Program => {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], signal })
  const lines: string[] = []
  let wake = () => {}
  let isGone = false
  const gone = once(child, 'close').then(
    () => {},
    () => {}, // the run was stopped
  )
  void gone.then(() => {
    isGone = true
    wake()
  })
  child.stdin.on('error', () => {}) // it may be gone: whoever waits for a word is told
  createInterface({ input: child.stdout }).on('line', (line) => {
    onLine(line)
    lines.push(line)
    wake()
  })
  return {
    pid: child.pid ?? 0,
    tell: (line) => void child.stdin.write(`${line}\n`),
    async said(word) {
      for (;;) {
        const found = lines.find((line) => line === word || line.startsWith(`${word} `))
        if (found !== undefined) return found.slice(word.length + 1)
        if (isGone) throw new Error(`${program} ${args.join(' ')} ended without “${word}”`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    stop: () => void child.kill('SIGKILL'),
    gone,
  }
}
