import type { Adapter } from './adapters.ts'
import type { Bus, BusReply, RequestOptions } from './bus.ts'
import { AgentSubjects } from './subjects/agent.ts'
import type { RequestOf, ResponseOf } from './subjects/table.ts'

/**
 * Requests approval of a tool call from the responder of the agent’s adapter, or from the one of
 * all agents if the adapter has none.
 */
export const requestToolApproval = async (
  bus: Bus,
  subject: Adapter['subjects']['tool_approval'],
  request: RequestOf<typeof AgentSubjects.toolApprove>,
  options: RequestOptions,
): Promise<BusReply<ResponseOf<typeof AgentSubjects.toolApprove>>> => {
  const reply = await bus.request(subject, request, options)
  if (reply.outcome !== 'no_responder') return reply
  return bus.request(AgentSubjects.toolApprove, request, options)
}
