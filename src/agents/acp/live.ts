import type { Live, LiveOptions } from '../live.ts'
import { connectAcp } from './connection.ts'

export interface AcpLiveOptions {
  /** The name of the agent in the table of agents. */
  agent: string
  /** What people call it. */
  title: string
  /** Arguments that start the agent so that it speaks the protocol on stdin and stdout. */
  args(options: LiveOptions): string[]
}

/** Drives an agent that speaks the Agent Client Protocol. */
export const createAcpLive = ({ agent, title, args }: AcpLiveOptions): Live => ({
  queue: 'session',
  args,
  connect: (options) => connectAcp({ agent, title }, options),
})
