import { type CommandResult, failedResult } from '../conversation/command-result.ts'
import type { Session } from '../conversation/session.ts'
import type { LoadedSessions } from './loaded-sessions.ts'

/**
 * A session by its id, whether it is in memory or not. What needs its agent brings it in; what only
 * asks how things stand does not.
 */
export const createLazySession = (id: string, sessions: LoadedSessions): Session => {
  const session = () => sessions.peek(id)?.session
  /** Messages on their way to the agent: it may still have to be brought in. */
  const saying = new Set<Promise<CommandResult>>()

  const ask = async (run: (session: Session) => Promise<CommandResult>): Promise<CommandResult> => {
    try {
      const { session } = await sessions.enter(id)
      return await run(session)
    } catch (cause) {
      return failedResult(cause)
    }
  }

  const say = async (run: (session: Session) => Promise<CommandResult>): Promise<CommandResult> => {
    const said = ask(run)
    saying.add(said)
    const asked = await said
    saying.delete(said)
    return asked
  }

  return {
    isBusy: () => saying.size > 0 || session()?.isBusy() === true,
    isAlive: () => session()?.isAlive() ?? false,
    isResting: () => session()?.isResting() ?? true,
    prompt: (text, images) => say((session) => session.prompt(text, images)),
    steer: (text, images) => say((session) => session.steer(text, images)),
    followUp: (text, images) => say((session) => session.followUp(text, images)),
    abort: async () => (await sessions.current(id))?.session.abort(),
    compact: (instructions) => ask((session) => session.compact(instructions)),
    setModel: (name) => ask((session) => session.setModel(name)),
    models: async () => session()?.models(),
    setThinking: (level) => ask((session) => session.setThinking(level)),
    setName: (name) => ask((session) => session.setName(name)),
    rename: async (name) => (await sessions.enter(id)).session.rename(name),
    answer: (approvalId, decision) => session()?.answer(approvalId, decision) ?? false,
    pendingApprovals: () => session()?.pendingApprovals() ?? [],
    async idle() {
      await Promise.all(saying)
      await (await sessions.current(id))?.session.idle()
    },
    stop: async (reason) => (await sessions.current(id))?.session.stop(reason),
  }
}
