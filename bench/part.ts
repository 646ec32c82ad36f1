import type { Row } from './report.ts'

/** A part of the benchmark, which can be run alone. Returns one row for each of its goals. */
export type BenchPart = (options: BenchOptions) => Promise<Row[]>

/** What all parts of one run share. */
export interface BenchOptions {
  /** For inputs and caches; deleted at the end. */
  directory: string
  /** How many rounds to run, given how many a run with `--full` has. */
  rounds(full: number): number
  /** The size of the inputs; 1 is that of a run with `--full`. */
  scale: number
  /** Another checkout of Sluice, to be compared with this one. */
  against?: string | undefined
  /** Aborted when the run is interrupted. */
  signal: AbortSignal
}
