import type { Command } from '../../agents/live.ts'
import type { AgentEvent } from '../../events/types.ts'
import type { ActivityTracker } from './activity.ts'
import { startsNoRun } from './await-run-start.ts'
import { type CommandResult, failedResult } from './command-result.ts'
import type { Driver } from './driver.ts'
import { notice } from './notices.ts'
import type { Resumption } from './resumption.ts'
import type { Runner } from './runner.ts'

export interface CommandSenderOptions {
  runner: Runner
  activity: ActivityTracker
  resumption: Resumption
  emit(event: AgentEvent): void
  /** The agent took a prompt and rests all the same. */
  onNoRun(): void
  /** How long a run may take to begin before the agent is asked whether one will. */
  beginMs?: number | undefined
}

/** Commands on their way to an agent: it is started for them, and may die before it takes them. */
export const createCommandSender = (options: CommandSenderOptions) => {
  const { runner, activity, resumption, emit } = options
  /** The prompt that this process took last. */
  let taken: Command | undefined

  const ask = async (command: Command): Promise<CommandResult> => {
    if (command.type === 'prompt') activity.prompted()
    try {
      const driver = await runner.ensure()
      // Another process may have ended meanwhile, and all that had been asked of it.
      if (command.type === 'prompt') activity.prompted()
      const outcome = await driver.send(command)
      if (outcome.outcome === 'gone') return await afterDeath(command)
      if (outcome.outcome !== 'accepted') notTaken(command)
      else if (command.type === 'prompt') void awaitRun(driver, command)
      return outcome
    } catch (cause) {
      notTaken(command)
      return failedResult(cause)
    }
  }

  /** No run comes of a prompt that the agent did not take. */
  const notTaken = ({ type }: Command) => {
    if (type === 'prompt' && !activity.isRunning()) activity.rested()
  }

  const awaitRun = async (driver: Driver, command: Command): Promise<void> => {
    if (runner.driver() === driver) taken = command
    if (!(await startsNoRun(driver, activity.begins(), options.beginMs))) return
    activity.rested()
    options.onNoRun()
  }

  /** The process died before it took the command. */
  const afterDeath = async (command: Command): Promise<CommandResult> => {
    switch (resumption.verdict()) {
      case 'anew':
        return beginAnew(command)
      case 'again':
        emit(notice('The agent died while it started. It is started once more.'))
        return ask(command)
      case 'failed':
        notTaken(command)
        return { outcome: 'failed', code: 'agent_not_started', error: resumption.lastWords() }
      default:
        notTaken(command)
        return { outcome: 'gone' }
    }
  }

  /** An agent keeps its history only once it has answered: one that died first knows nothing. */
  const beginAnew = (command: Command): Promise<CommandResult> => {
    resumption.forget()
    emit(notice('The agent has no record of this conversation. It begins anew.'))
    return ask(command)
  }

  return {
    ask,
    /** A process has started: it took nothing yet. */
    started(): void {
      taken = undefined
    },
    /** The process has ended. It may have taken a prompt, and only then looked for the conversation. */
    ended(): void {
      if (taken && resumption.isUnknown()) void beginAnew(taken)
    },
  }
}
