import { globalApprovalRequest, toolApprovalResponse } from './adapter-tools.ts'
import { rpc, subjectsOf } from './define.ts'

/** The namespace of all agents together. */
export const AgentNamespace = 'agent'
/** The subjects of all agents together, with their schemas. */
export const agentSchemas = {
  toolApprove: rpc(
    'Requests approval before a tool of any agent runs. A request comes here if nothing responds to `tool_approval` in the namespace of its adapter. If it ends without an answer, it is treated as there.',
    globalApprovalRequest,
    toolApprovalResponse,
  ),
}
/** The full names of the subjects of all agents together. */
export const AgentSubjects = subjectsOf(AgentNamespace, agentSchemas)
