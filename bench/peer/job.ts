/** What an agent says, and to how many clients. */
export interface Job {
  clients: number
  /** Lines before the measuring, and how many of them in a second. */
  warmUp: number
  warmUpPerSecond: number
  lines: number
  /** 0: as fast as they are taken. */
  perSecond: number
}

/** What it came to. */
export interface Result {
  /** Lines that arrived, over all clients. */
  delivered: number
  lost: number
  /** Of the server without its agent. */
  cpuMs: number
  /** From the first line to the last, by the clock. */
  wallMs: number
  /** From the agent to a client, in ms. */
  p50: number
}

/** Parts the lines that are measured from those that are not. */
export const pauseMs = 300

/** How the agent is started. */
export const agentArguments = (job: Job): string[] =>
  [job.warmUp, job.warmUpPerSecond, pauseMs, job.lines, job.perSecond].map(String)
