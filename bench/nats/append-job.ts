/** The task of the program that appends to JetStream. */
export interface AppendJob {
  contender: 'log' | 'bare'
  /** For the index of the log. */
  directory: string
  servers: readonly string[]
  /** A tenant of its own, so that each process starts with an empty stream. */
  tenant: string
  replicas: number
  /** How many events are measured. */
  count: number
  /** Events in one message. */
  size: number
}

/** How many sessions are written to at once. */
export const sessionCount = 32
