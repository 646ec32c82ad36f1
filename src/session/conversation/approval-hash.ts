import { hash } from 'node:crypto'
import type { EventOf } from '../../events/types.ts'
import { canonicalJson } from '../../shared/canonical-json.ts'

type Decided = 'kind' | 'toolName' | 'args' | 'questions' | 'plan' | 'budget' | 'dialog' | 'options'

/** Deeper arguments cannot be shown whole, and the agent could hide something in them. */
export const maxDecidedDepth = 200

/**
 * Identifies what a person decides: SHA-256, in hex, of its canonical JSON. Undefined if it is nested
 * too deeply.
 */
export const approvalHash = (
  sessionId: string,
  {
    kind,
    toolName,
    args,
    questions,
    plan,
    budget,
    dialog,
    options,
  }: Pick<EventOf<'approval_request'>, Decided>,
): string | undefined => {
  const decided = { sessionId, kind, toolName, args, questions, plan, budget, dialog, options }
  const text = canonicalJson(decided, maxDecidedDepth)
  return text === undefined ? undefined : hash('sha256', text)
}
