import type { DecisionNote } from '../../../src/events/types.ts'
import type { ToolEntry } from '../../../src/transcript/index.ts'

/** Why a tool was not let run; undefined where it was. */
export const denialMessage = ({ decision }: ToolEntry): string | undefined => {
  if (!decision) return undefined
  const { action, message } = decision
  if (action === 'allow') return undefined
  const told = message === undefined ? '' : ` “${message}”`
  return `${refusals[decision.outcome]}${told}`
}

const refusals: Record<DecisionNote['outcome'], string> = {
  answered: 'Denied.',
  expired: 'Denied: nobody answered in time.',
  cancelled: 'Denied: the run was stopped.',
  agent_gone: 'Denied: the agent had exited.',
  policy: 'Denied by policy.',
}
