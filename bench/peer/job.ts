/** What an agent prints, and how many clients receive it. */
export interface Job {
  clients: number
  /** Lines before the measurement, and how many of them per second. */
  warmUp: number
  warmUpPerSecond: number
  lines: number
  /** 0: as fast as possible. */
  perSecond: number
}

/** What was measured. */
export interface Result {
  /** Lines that arrived, over all clients. */
  delivered: number
  lost: number
  /** CPU time of the server without its agent. */
  cpuMs: number
  /** Time from the first line to the last. */
  wallMs: number
  /** Median delay from the agent to a client, in ms. */
  p50: number
}

/** The pause between the lines that are not measured and those that are. */
export const pauseMs = 300

/** The arguments of the agent. */
export const agentArguments = (job: Job): string[] =>
  [job.warmUp, job.warmUpPerSecond, pauseMs, job.lines, job.perSecond].map(String)
