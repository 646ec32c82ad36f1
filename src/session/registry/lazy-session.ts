import { type LogHealth, refusalOf, requireWritable } from '../../log/log-status.ts'
import { failedResult } from '../conversation/send-command.ts'
import type { CommandResult, Session } from '../conversation/session.ts'
import type { LoadedSessions } from './loaded-sessions.ts'

/**
 * A session by its id, whether it is in memory or not. Commands load it; questions about its state
 * do not.
 */
export const createLazySession = (
  id: string,
  sessions: LoadedSessions,
  log: LogHealth,
): Session => {
  const peek = () => sessions.peek(id)?.session
  /** Messages on their way to the agent, for which the session may still have to be loaded. */
  const sending = new Set<Promise<CommandResult>>()

  const { run, runLoaded } = createRunner(id, sessions, log)

  const sendMessage = async (
    command: (session: Session) => Promise<CommandResult>,
  ): Promise<CommandResult> => {
    const refusal = refusalOf(log.status())
    if (refusal) return failedResult(refusal)
    // The session looks at the disk itself: what is called right behind the message must find it busy.
    const result = runLoaded(command)
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
    prompt: (text, options) => sendMessage((session) => session.prompt(text, options)),
    steer: (text, options) => sendMessage((session) => session.steer(text, options)),
    followUp: (text, options) => sendMessage((session) => session.followUp(text, options)),
    queuedMessages: async () => (await sessions.get(id)).session.queuedMessages(),
    editQueued: (...edit) => run((session) => session.editQueued(...edit)),
    removeQueued: (...removal) => run((session) => session.removeQueued(...removal)),
    sendQueued: (...message) => sendMessage((session) => session.sendQueued(...message)),
    abort: async (options) => (await sessions.getIfLoaded(id))?.session.abort(options),
    stopTask: async (taskId, options) =>
      (await sessions.getIfLoaded(id))?.session.stopTask(taskId, options) ?? { outcome: 'gone' },
    compact: (instructions, options) => run((session) => session.compact(instructions, options)),
    setModel: (name, options) => run((session) => session.setModel(name, options)),
    models: async () => peek()?.models(),
    contextParts: async () => peek()?.contextParts(),
    forkPoints: async () => (await sessions.get(id)).session.forkPoints(),
    rewind: (messageId, options) => run((session) => session.rewind(messageId, options)),
    setThinking: (level, options) => run((session) => session.setThinking(level, options)),
    setMode: (mode, options) => run((session) => session.setMode(mode, options)),
    setSwitch: (...change) => run((session) => session.setSwitch(...change)),
    runShell: (command, options) => run((session) => session.runShell(command, options)),
    stopShell: async (options) =>
      (await sessions.getIfLoaded(id))?.session.stopShell(options) ?? { outcome: 'accepted' },
    setName: (name) => run((session) => session.setName(name)),
    async rename(name, options) {
      await requireWritable(log)
      await (await sessions.get(id)).session.rename(name, options)
      // The log may have failed just now, and the name with it.
      const failure = refusalOf(log.status())
      if (failure) throw failure
    },
    answer(approvalId, decision) {
      // To deny is always possible. A call that is allowed would run, and nobody could see it later.
      if (decision.action === 'allow' && refusalOf(log.status())) return false
      return peek()?.answer(approvalId, decision) ?? false
    },
    pendingApprovals: () => peek()?.pendingApprovals() ?? [],
    async idle() {
      await Promise.all(sending)
      await (await sessions.getIfLoaded(id))?.session.idle()
    },
    stop: async (reason) => (await sessions.getIfLoaded(id))?.session.stop(reason),
  }
}

/** Runs commands in the session, which is loaded first. What fails is a result. */
const createRunner = (id: string, sessions: LoadedSessions, log: LogHealth) => {
  const run = async <Result>(
    command: (session: Session) => Promise<Result>,
  ): Promise<Result | ReturnType<typeof failedResult>> => {
    try {
      await requireWritable(log) // refused before it is lost
      return await runLoaded(command)
    } catch (cause) {
      return failedResult(cause)
    }
  }

  const runLoaded: typeof run = async (command) => {
    try {
      const { session } = await sessions.get(id)
      return await command(session)
    } catch (cause) {
      return failedResult(cause)
    }
  }

  return { run, runLoaded }
}
