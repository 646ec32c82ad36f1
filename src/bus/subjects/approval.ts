import { z } from 'zod'
import { envelope } from '../../events/envelope.ts'
import { toolEvents } from '../../events/tool-events.ts'
import { event, subjectsOf } from './define.ts'

const [, , , , , request, resolved] = toolEvents

/** The namespace of approvals. */
export const ApprovalNamespace = 'approval'
/** The subjects of approvals with their schemas. */
export const approvalSchemas = {
  requested: event(
    'An agent waits for a decision of a person. The payload is the stored event `approval_request`.',
    z.object({ ...envelope.shape, ...request.shape }),
  ),
  resolved: event(
    'An approval was decided. The payload is the stored event `approval_resolved`.',
    z.object({ ...envelope.shape, ...resolved.shape }),
  ),
}
/** The full names of the subjects of approvals. */
export const ApprovalSubjects = subjectsOf(ApprovalNamespace, approvalSchemas)
