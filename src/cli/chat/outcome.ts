import type { CommandResult } from '../../session/conversation/command-result.ts'

/** Why a message or a wish did not reach the agent, in words. */
export const resultMessage = (asked: CommandResult): string =>
  'error' in asked ? asked.error : words[asked.outcome]

const words: Record<Exclude<CommandResult, { error: string }>['outcome'], string> = {
  accepted: 'The agent has taken it.',
  unanswered: 'The agent did not answer.',
  gone: 'The agent ended.',
  unsupported: 'The agent cannot do that.',
}
