/**
 * Figures about all streams since the start. Connections and streams count; `/metrics` and the
 * benchmarks read them.
 */
export interface StreamFigures {
  /** Open connections. */
  clients: number
  /** Connections opened so far. */
  connected: number
  /** Events published so far. */
  events: number
  /** Bytes written to connections so far. */
  bytes: number
  /** Connections ended so far because they fell too far behind. */
  cut: number
  /** Connections that are behind now, because their clients read too slowly. */
  behind: number
  /** How many bytes the slowest connection is behind now. */
  lagBytes: number
}

/** The figures that are counted; the others are measured when they are read. */
export type StreamCounters = Omit<StreamFigures, 'behind' | 'lagBytes'>

export const createCounters = (): StreamCounters => ({
  clients: 0,
  connected: 0,
  events: 0,
  bytes: 0,
  cut: 0,
})
