/** What a server is to do in one round. */
export interface Job {
  clients: number
  events: number
  /** How many events are published before the event loop turns. */
  perTurn: number
  /** So many events come before the measuring begins. */
  warmUp: number
  /** How many events may be on their way. */
  window: number
  /** After how many events the load program says that they have arrived. */
  step: number
  /** 0: as fast as they are taken. */
  perSecond: number
  /** Nobody says what has arrived; the server ends the streams. */
  isUnheard?: boolean
  /** Where the log is, for those that have one. */
  directory?: string
}

/** The job of this process. */
export const readJob = (): Job => JSON.parse(process.argv[2] ?? '')

/** Tells the figures of this process to whoever started it. */
export const tell = (figures: Record<string, number>): void =>
  void process.stdout.write(`done ${JSON.stringify(figures)}\n`)

/** As arguments of a program that reads no JSON. */
export const plainArguments = (job: Job): string[] =>
  [job.clients, job.events, job.perTurn, job.warmUp, job.window, job.perSecond].map(String)
