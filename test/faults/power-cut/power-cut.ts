import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import { run } from '../../support/sluice.ts'
import { type Fault, requireThat, type Trial } from '../fault.ts'
import { checkState } from './check-state.ts'
import { operationsOf } from './operations.ts'
import { recordCalls, straceProblem } from './strace.ts'
import { powerCuts, type Trace } from './trace.ts'

type Durability = 'full' | 'normal'

const operationCount = 250
const cutsPerTrace = 25

/** How a writer is watched: the files after each commit and flush, or its system calls. */
type Record = (directory: string, writerArguments: readonly string[]) => Promise<Trace>

const recordFiles: Record = async (directory, writerArguments) => {
  const program = new URL('traced-writer.ts', import.meta.url).pathname
  const traceFile = join(directory, 'trace')
  const { code, stderr } = await run(process.execPath, [program, ...writerArguments, traceFile])
  requireThat(code === 0, `the writer failed: ${stderr}`)
  return deserialize(readFileSync(traceFile))
}

interface PowerCutOptions {
  /** How the writer flushes. */
  written: Durability
  /** What is promised to the readers of the log. */
  promised: Durability
  record: Record
}

/** Records one trace, and opens a log on what power cuts at random steps leave. */
const cutPower = async (
  trial: Trial,
  { written, promised, record }: PowerCutOptions,
): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-power-'))
  try {
    const seed = trial.random.below(2 ** 31)
    const numbers = [String(seed), String(operationCount)]
    const trace = await record(directory, [join(directory, 'written'), written, ...numbers])
    const operations = operationsOf(seed, operationCount)
    for (const step of trace.steps)
      if (step.kind === 'flushEnd') trial.count(`${step.file} flushes`)
    for (const state of powerCuts(trace, trial.random, cutsPerTrace)) {
      const events = await checkState(join(directory, 'state'), state, operations, promised)
      trial.count(`power cuts at ${written}`)
      trial.count('events', events)
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const alternate = (record: Record) => async (trial: Trial) => {
  for (let at = 0; trial.goesOn(); at += 1) {
    const durability = at % 2 === 0 ? 'full' : 'normal'
    await cutPower(trial, { written: durability, promised: durability, record })
  }
}

/** Cuts the power at random moments, with any part of the unflushed writes on the disk. */
export const powerCut: Fault = {
  name: 'power-cut',
  title: 'power cuts, replayed from the files after each write and flush',
  run: alternate(recordFiles),
}

/** The same from the system calls. It also sees what SQLite itself flushes, and when. */
export const tracedPowerCut: Fault = {
  name: 'power-cut-traced',
  title: 'power cuts, replayed from the system calls',
  problem: straceProblem,
  run: alternate(recordCalls),
}

/** Confirms what was never flushed. The check must find that. */
export const unflushedPowerCut: Fault = {
  ...powerCut,
  run: (trial) => cutPower(trial, { written: 'normal', promised: 'full', record: recordFiles }),
}
