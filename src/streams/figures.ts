/** What has happened since the start, for whoever watches the server. */
export interface StreamFigures {
  /** Open connections. */
  clients: number
  /** Connections in all. */
  connected: number
  /** Events that were published. */
  events: number
  /** Bytes that were handed to connections. */
  bytes: number
  /** Connections that had fallen too far behind. */
  cut: number
  /** Connections that wait to be read from, now. */
  behind: number
  /** The most that one connection is behind, in bytes, now. */
  lagBytes: number
}

/** Counters that only grow, and the number of clients. */
export type StreamCounters = Omit<StreamFigures, 'behind' | 'lagBytes'>

export const createCounters = (): StreamCounters => ({
  clients: 0,
  connected: 0,
  events: 0,
  bytes: 0,
  cut: 0,
})
