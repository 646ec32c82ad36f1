import { failedResult } from '../conversation/send-command.ts'
import type { CommandResult, Session } from '../conversation/session.ts'
import type { LoadedSessions } from './loaded-sessions.ts'

/**
 * A session by its id, whether it is in memory or not. Commands load it; questions about its state
 * do not.
 */
export const createLazySession = (id: string, sessions: LoadedSessions): Session => {
  const peek = () => sessions.peek(id)?.session
  /** Messages on their way to the agent, for which the session may still have to be loaded. */
  const sending = new Set<Promise<CommandResult>>()

  const run = async (
    command: (session: Session) => Promise<CommandResult>,
  ): Promise<CommandResult> => {
    try {
      const { session } = await sessions.get(id)
      return await command(session)
    } catch (cause) {
      return failedResult(cause)
    }
  }

  const sendMessage: typeof run = async (command) => {
    const result = run(command)
    sending.add(result)
    try {
      return await result
    } finally {
      sending.delete(result)
    }
  }

  return {
    isBusy: () => sending.size > 0 || peek()?.isBusy() === true,
    isAlive: () => peek()?.isAlive() ?? false,
    prompt: (text, images) => sendMessage((session) => session.prompt(text, images)),
    steer: (text, images) => sendMessage((session) => session.steer(text, images)),
    followUp: (text, images) => sendMessage((session) => session.followUp(text, images)),
    abort: async () => (await sessions.getIfLoaded(id))?.session.abort(),
    compact: (instructions) => run((session) => session.compact(instructions)),
    setModel: (name) => run((session) => session.setModel(name)),
    models: async () => peek()?.models(),
    setThinking: (level) => run((session) => session.setThinking(level)),
    setName: (name) => run((session) => session.setName(name)),
    rename: async (name) => (await sessions.get(id)).session.rename(name),
    answer: (approvalId, decision) => peek()?.answer(approvalId, decision) ?? false,
    pendingApprovals: () => peek()?.pendingApprovals() ?? [],
    async idle() {
      await Promise.all(sending)
      await (await sessions.getIfLoaded(id))?.session.idle()
    },
    stop: async (reason) => (await sessions.getIfLoaded(id))?.session.stop(reason),
  }
}
