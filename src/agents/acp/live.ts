import type { Live, LiveOptions } from '../live.ts'
import { type AcpAgent, connectAcp } from './connection.ts'
import { listAcpConversations } from './list-conversations.ts'

export interface AcpLiveOptions extends AcpAgent {
  /** Arguments that start the agent so that it speaks the protocol on stdin and stdout. */
  args(options: LiveOptions): string[]
}

/** Drives an agent that speaks the Agent Client Protocol. */
export const createAcpLive = ({ args, ...about }: AcpLiveOptions): Live => ({
  queue: 'session',
  args,
  connect: (options) => connectAcp(about, options),
  listConversations: (options) => listAcpConversations(about, options),
})
