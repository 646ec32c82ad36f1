/** The task of a server in one round. */
export interface Job {
  clients: number
  events: number
  /** How many events are published before the event loop turns. */
  perTurn: number
  /** How many events come before the measurement starts. */
  warmUp: number
  /** How many events may be sent but not received yet. */
  window: number
  /** After how many events the load program reports its progress. */
  step: number
  /** 0: as fast as possible. */
  perSecond: number
  /** The load program does not report progress; the server ends the streams. */
  isUnreported?: boolean
  /** The data directory, for servers with a log. */
  directory?: string
}

/** The job of this process. */
export const readJob = (): Job => JSON.parse(process.argv[2] ?? '')

/** Prints the figures for the process that started this one. */
export const printFigures = (figures: Record<string, number>): void =>
  void process.stdout.write(`done ${JSON.stringify(figures)}\n`)

/** The job as arguments of a program that does not read JSON. */
export const plainArguments = (job: Job): string[] =>
  [job.clients, job.events, job.perTurn, job.warmUp, job.window, job.perSecond].map(String)
