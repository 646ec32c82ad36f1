import type { Row } from './report.ts'

/** A part of the benchmark, which can be run alone. Returns one row for each of its goals. */
export type BenchPart = (options: BenchOptions) => Promise<Row[]>

/** What all parts of one run share. */
export interface BenchOptions {
  /** For inputs and caches; deleted at the end. */
  directory: string
  /** Fewer rounds and smaller inputs, to see whether it runs. */
  quick: boolean
  /** The size of the inputs; 1 is the full size. */
  scale: number
  /** Aborted when the run is interrupted. */
  signal: AbortSignal
}
