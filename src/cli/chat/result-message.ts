import type { CommandResult } from '../../session/conversation/session.ts'

/** Why the agent did not accept a command. */
export const resultMessage = (result: CommandResult): string => {
  if (result.outcome === 'gone' || result.outcome === 'unsupported')
    return result.error ?? messages[result.outcome]
  return 'error' in result ? result.error : messages[result.outcome]
}

const messages: Record<Exclude<CommandResult, { error: string }>['outcome'], string> = {
  accepted: 'The agent accepted it.',
  unanswered: 'The agent did not respond in time.',
  gone: 'The agent has exited.',
  unsupported: 'This agent does not support that command.',
}
