import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Figures, type Job, runJob } from './log/job.ts'
import type { BenchOptions } from './part.ts'
import { atLeast, atMost, ms, printTitle, type Row, skipped } from './report.ts'
import { median, ratioOf, runRounds } from './rounds.ts'

const size = 16
/** In a run with `--full`. */
const fullRounds = 5
const normal = { size, synchronous: 'NORMAL' } as const

/** Runs rounds of one program with several contenders. Returns a function that looks up a figure by round. */
const compete = async (
  program: string,
  jobs: Record<string, Omit<Job, 'directory'> & { directory?: string }>,
  options: BenchOptions,
) => {
  const contenders = new Map(
    Object.entries(jobs).map(([name, job]) => [name, () => runJob(program, job, options)]),
  )
  const figures = await runRounds(contenders, options.rounds(fullRounds))
  return (name: string, figure: string): number[] =>
    (figures.get(name) ?? []).map((each: Figures) => each[figure] ?? Number.NaN)
}

const pair = (left: number[], right: number[]) => `${ms(median(left))} : ${ms(median(right))}`

/** Measures the cost of appending events. */
export const runLogAppend = async (options: BenchOptions): Promise<Row[]> => {
  const count = 200_000 * options.scale
  printTitle(
    'log-append',
    `${count} events of 20 sessions, 16 at a time; ${options.rounds(fullRounds)} rounds`,
  )
  const of = await compete(
    'append',
    {
      log: { ...normal, contender: 'log', count },
      each: { ...normal, contender: 'log', count: count / 4, size: 1 },
      file: { ...normal, contender: 'file', count },
      logFull: { size, contender: 'log', count: count / 4, synchronous: 'FULL' },
      fileFull: { size, contender: 'file', count: count / 4, synchronous: 'FULL' },
    },
    options,
  )
  const each = of('each', 'wallMs').map((value) => value * 4)
  const [log, file] = [of('log', 'cpuMs'), of('file', 'cpuMs')]
  const [logFull, fileFull] = [of('logFull', 'wallMs'), of('fileFull', 'wallMs')]
  return [
    atLeast(
      'rate of batches : one transaction each',
      2.5,
      ratioOf(each, of('log', 'wallMs')),
      pair(each, of('log', 'wallMs')),
    ),
    atMost('CPU of the log : file append', 8, ratioOf(log, file), pair(log, file)),
    atLeast(
      'rate at FULL, log : file + fdatasync',
      0.5,
      ratioOf(fileFull, logFull),
      pair(fileFull, logFull),
    ),
  ]
}

/** Measures the cost and the memory of reading a long session. */
export const runLogReplay = async (options: BenchOptions): Promise<Row[]> => {
  const count = 1_000_000 * options.scale
  const directory = mkdtempSync(join(options.directory, 'replay-'))
  try {
    const job = { ...normal, directory, count }
    await runJob('fill', { ...job, contender: '', size: 500 }, options)
    printTitle('log-replay', `one session of ${count} events; ${options.rounds(fullRounds)} rounds`)
    const of = await compete(
      'replay',
      {
        pages: { ...job, contender: 'pages' },
        rows: { ...job, contender: 'rows' },
        file: { ...job, contender: 'file' },
        memory: { ...job, contender: 'memory' },
      },
      options,
    )
    const [pages, rows, file] = [of('pages', 'cpuMs'), of('rows', 'cpuMs'), of('file', 'cpuMs')]
    return [
      atLeast('CPU of iterate() : pages', 2.5, ratioOf(rows, pages), pair(rows, pages)),
      atLeast('CPU of file read : pages', 0.4, ratioOf(file, pages), pair(file, pages)),
      memoryRow('memory to open it and read 100 events', 16, of('memory', 'openedMb')),
      memoryRow('memory to read all of it', 100, of('memory', 'peakMb')),
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Measures how long the log blocks the event loop. */
export const runLogCommits = async (options: BenchOptions): Promise<Row[]> => {
  const count = 200_000 * options.scale
  printTitle(
    'log-commits',
    `${count} events, 16 at a time, without a pause; ${options.rounds(fullRounds)} rounds`,
  )
  const job = { ...normal, count }
  const full = { ...job, count: count / 4, synchronous: 'FULL' } as const
  const of = await compete(
    'commits',
    {
      full: { ...full, contender: 'thread' },
      fullMain: { ...full, contender: 'main' },
      thread: { ...job, contender: 'thread' },
      never: { ...job, contender: 'never' },
      main: { ...job, contender: 'main' },
    },
    options,
  )
  const compareStalls = (name: string, stall: number[], commit: number[]) =>
    atMost(name, 3, ratioOf(stall, commit), exact(stall, commit))
  const commit = of('thread', 'median')
  const [fullStall, fullPlain] = [of('full', 'p999'), of('fullMain', 'p999')]
  const [stall, plain] = [of('thread', 'p999'), of('main', 'p999')]
  const [longest, never] = [of('thread', 'longest'), of('never', 'longest')]
  return [
    compareStalls(
      'FULL: longest stall : median commit',
      of('full', 'longest'),
      of('full', 'commit'),
    ),
    atLeast(
      'FULL: 999th of 1000, in the loop : ours',
      2,
      ratioOf(fullPlain, fullStall),
      exact(fullPlain, fullStall),
    ),
    compareStalls('NORMAL: 99th of 100 stalls : median commit', of('thread', 'p99'), commit),
    compareStalls('NORMAL: longest stall : median commit', longest, commit),
    // The longest of ten thousand stalls is caused by the machine: it occurs without checkpoints too.
    compareStalls('NORMAL: longest stall : without checkpoints', longest, never),
    atLeast(
      'NORMAL: 999th of 1000, in the loop : ours',
      2,
      ratioOf(plain, stall),
      exact(plain, stall),
    ),
  ]
}

/** Measures the cost of an event from the agent’s bytes to a subscriber of the bus. */
export const runWholePath = async (options: BenchOptions): Promise<Row[]> => {
  const count = 320_000 * options.scale
  const rounds = options.rounds(fullRounds)
  printTitle('whole-path', `${count} lines of 20 agents, 16 at a time; ${rounds} rounds`)
  const job = { ...normal, count }
  const { against } = options
  const of = await compete(
    'path',
    {
      path: { ...job, contender: 'path' },
      insert: { ...job, contender: 'insert' },
      ...(against && { other: { ...job, contender: 'path', checkout: against } }),
    },
    options,
  )
  if (median(of('path', 'events')) !== median(of('insert', 'events')))
    throw new Error('whole-path: the contenders have not stored the same events')
  const compare = (name: string, figure: string) => {
    const [path, insert] = [of('path', figure), of('insert', figure)]
    return atLeast(name, 0.5, ratioOf(insert, path), pair(insert, path))
  }
  const compareOther = (name: string, figure: string) => {
    const [path, other] = [of('path', figure), of('other', figure)]
    return atMost(name, 1.1, ratioOf(path, other), pair(path, other))
  }
  return [
    compare('rate of the path : bare INSERT loop', 'wallMs'),
    // Of all threads: this includes the log’s checkpoint thread, which spares the path waiting for the disk.
    compare('CPU of a bare INSERT loop : path', 'cpuMs'),
    ...(against === undefined
      ? [skipped('CPU of the path : another checkout', 'name one with --against DIRECTORY')]
      : [
          compareOther('CPU of the path : the other checkout', 'cpuMs'),
          compareOther('time of the path : the other checkout', 'wallMs'),
        ]),
  ]
}

const exact = (left: number[], right: number[]) =>
  `${median(left).toFixed(2)} ms : ${median(right).toFixed(2)} ms`

const memoryRow = (name: string, limit: number, grown: number[]): Row => {
  const value = median(grown)
  return {
    name,
    goal: `goal at most ${limit} MB`,
    measured: `${value.toFixed(0)} MB`,
    details: `highest ${Math.max(...grown).toFixed(0)} MB`,
    verdict: value <= limit ? 'ok' : 'MISSED',
  }
}
