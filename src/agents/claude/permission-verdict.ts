import { chosenOption } from '../../events/chosen-option.ts'
import type { EventOf } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { ApprovalReply } from '../live.ts'
import { withAnswers } from '../tool-calls/questions.ts'

/**
 * A decision in the form of Claude Code’s control protocol and of its hooks. Allowing passes the
 * arguments back, also unchanged ones: old versions need them.
 */
export const permissionVerdict = (
  reply: ApprovalReply,
  { args, options = [] }: EventOf<'approval_request'>,
) => {
  const { action, updatedInput, answers, acceptEdits, message } = reply
  const option = chosenOption(options, reply)
  if (action === 'deny')
    return {
      behavior: 'deny',
      message: message ?? 'Denied.',
      ...(option?.kind === 'stop' && { interrupt: true }),
    }
  const answered = answers ? withAnswers(args, answers) : args
  const updates = [
    ...(acceptEdits ? [acceptEditsMode] : []),
    ...(option?.kind === 'allow_always' ? [option.update] : []),
  ]
  return {
    behavior: 'allow',
    ...defined({ updatedInput: updatedInput ?? answered }),
    ...(updates.length > 0 && { updatedPermissions: updates }),
  }
}

const acceptEditsMode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' }
