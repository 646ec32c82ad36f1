import { z } from 'zod'
import { envelope } from '../../events/envelope.ts'
import { toolEvents } from '../../events/tool-events.ts'
import { event, subjectsOf } from './define.ts'

const [, , , , , request, resolved] = toolEvents

/** The namespace of what people must decide. */
export const ApprovalNamespace = 'approval'
/** Every subject about approvals with its schemas. */
export const approvalSchemas = {
  requested: event(
    'A person must decide before an agent goes on. The stored event `approval_request`.',
    z.object({ ...envelope.shape, ...request.shape }),
  ),
  resolved: event(
    'An approval has been decided. The stored event `approval_resolved`.',
    z.object({ ...envelope.shape, ...resolved.shape }),
  ),
}
/** The whole names of the subjects about approvals. */
export const ApprovalSubjects = subjectsOf(ApprovalNamespace, approvalSchemas)
