import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import { run } from '../../support/sluice.ts'
import { type Fault, requireThat, type Trial } from '../fault.ts'
import { checkState } from './check-state.ts'
import { operationsOf } from './operations.ts'
import { powerCuts, type Trace } from './trace.ts'

type Durability = 'full' | 'normal'

const operationCount = 250
const cutsPerTrace = 25

/** Lets a writer work in a directory, and returns what it has written. */
const record = async (directory: string, durability: Durability, seed: number): Promise<Trace> => {
  const program = new URL('traced-writer.ts', import.meta.url).pathname
  const traceFile = join(directory, 'trace')
  const args = [program, join(directory, 'written'), durability]
  const { code, stderr } = await run(process.execPath, [
    ...args,
    String(seed),
    String(operationCount),
    traceFile,
  ])
  requireThat(code === 0, `the writer failed: ${stderr}`)
  return deserialize(readFileSync(traceFile))
}

export interface PowerCutOptions {
  /** How the writer flushes. */
  written: Durability
  /** What is promised to the readers of the log. */
  promised: Durability
}

/** Records one trace, and opens a log on what power cuts at random steps leave. */
export const cutPower = async (
  trial: Trial,
  { written, promised }: PowerCutOptions,
): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-power-'))
  try {
    const seed = trial.random.below(2 ** 31)
    const trace = await record(directory, written, seed)
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

/** Cuts the power at random moments, with any part of the unflushed writes on the disk. */
export const powerCut: Fault = {
  name: 'power-cut',
  title: 'power cuts, replayed from what the log writes',
  async run(trial) {
    for (let at = 0; trial.goesOn(); at += 1) {
      const durability = at % 2 === 0 ? 'full' : 'normal'
      await cutPower(trial, { written: durability, promised: durability })
    }
  },
}
