import type { HookMessage } from '../agents/hooks.ts'
import { knownAgent } from '../agents/known-agents.ts'
import type { AgentEvent } from '../events/types.ts'
import type { RecordAction } from '../log/auditor.ts'
import type { Log } from '../log/log.ts'
import { terminalAgents } from '../process/terminal-agents.ts'
import { approvalActionOf } from '../session/conversation/approval-action.ts'
import type { ApprovalDecision } from '../session/conversation/session.ts'
import { type CallBook, callKeyOf } from './call-book.ts'
import { createDeskSessions, type DeskSessions, type DeskSessionsOptions } from './desk-sessions.ts'
import type { HookQuestion } from './hook-socket.ts'
import { createPresenceReports, type PresenceReportsOptions } from './presence-reports.ts'
import type { HookSender } from './read-hook.ts'
import type { Asker } from './terminal-questions.ts'

/** What the hooks of agents in terminals send, and the questions that they wait with. */
export interface HookDesk {
  /** Takes a message of a hook. For a request, returns what its hook waits for. */
  receive(message: HookMessage, sender: HookSender): HookQuestion | undefined
  /**
   * Answers an open question of a session in a terminal. Undefined if the session has none here: then it
   * is none that asks through hooks.
   */
  answer(sessionId: string, approvalId: string, decision: ApprovalDecision): boolean | undefined
  /**
   * Closes the questions that an earlier process has left open in the log: of several nodes, the process of
   * this one.
   */
  closeLeftovers(): Promise<void>
  /** Withdraws all questions. The agents go on asking in their terminals, and may ask again here. */
  withdrawAll(message: string): void
  /** Withdraws all questions. The agents go on asking in their terminals. */
  close(): Promise<void>
}

export interface HookDeskOptions extends DeskSessionsOptions {
  log: Log
  watched: PresenceReportsOptions['watched']
  presence: PresenceReportsOptions['presence']
  recordAction: RecordAction
  /** The name of this node; only where several nodes share the log. */
  nodeName?: string | undefined
}

type HookRequest = Extract<HookMessage, { type: 'request' }>

export const createHookDesk = (options: HookDeskOptions): HookDesk => {
  const { onError, recordAction } = options
  const sessions = createDeskSessions(options)
  const presence = createPresenceReports(options)
  const working = new Set<Promise<void>>()
  let isClosed = false

  const withdrawAll = (message: string): void => {
    for (const each of sessions.all()) each.withdrawAll(message)
  }
  const ask = (message: HookRequest, sender: HookSender): HookQuestion => {
    const asker = createAsker()
    const work = sessions
      .use(message, sender, async (questions) => {
        if (questions && !asker.isGone() && !isClosed) await questions.ask(message, sender, asker)
        else asker.settle(undefined)
        await asker.settled
      })
      .catch((cause: unknown) => {
        onError(cause)
        asker.settle(undefined)
      })
      .finally(() => working.delete(work))
    working.add(work)
    return {
      output: asker.settled,
      leave() {
        asker.leave()
        for (const each of sessions.all()) each.leave(asker, () => isAlive(sender.pid))
      },
    }
  }

  return {
    receive(message, sender) {
      if (isClosed) return undefined
      const { agent } = sender
      const pid = terminalAgents.note(sender.pid, knownAgent(agent)?.program ?? agent)
      presence.note(message, agent, pid)
      if (message.type === 'request') return sender.hooks.answer && ask(message, sender)
      const { calls, terminal } = sessions.of(message, sender)
      if (message.type === 'call') noteCall(calls, message)
      else
        void terminal?.then(
          (opened) => opened?.questions.report(message),
          () => {}, // who asks reports it
        )
      return undefined
    },
    answer(sessionId, approvalId, decision) {
      const questions = sessions.find(sessionId)
      if (!questions) return undefined
      const answered = questions.answer(approvalId, decision)
      if (answered) recordAction({ ...approvalActionOf(answered, decision), sessionId })
      return answered !== undefined
    },
    closeLeftovers: () => closeLeftovers(options, sessions),
    withdrawAll,
    async close() {
      isClosed = true
      withdrawAll('Sluice has stopped. The agent asks in its terminal.')
      // What was withdrawn must be stored before the log closes.
      await Promise.all([...working, presence.settled()])
    },
  }
}

const closeLeftovers = async (
  { log, watched, nodeName: node }: HookDeskOptions,
  sessions: Pick<DeskSessions, 'find'>,
): Promise<void> => {
  for (const approval of await log.approvals.list({ status: 'pending' })) {
    const record = await log.sessions.get(approval.sessionId)
    if (!record?.watched || (node !== undefined && record.watched.node !== node)) continue
    // Somebody waits for the answer.
    if (sessions.find(record.id)) continue
    const { agent, cwd } = record
    const session = await watched.open({ agent, cwd, nativeId: record.watched.nativeId })
    if (typeof session === 'string') continue
    const { approvalId, toolCallId } = approval
    const events = [leftover(approvalId, toolCallId)]
    await session.append([{ events }]).finally(session.release)
  }
}

const leftover = (approvalId: string, toolCallId: string | undefined): AgentEvent => ({
  ...{ type: 'approval_resolved', approvalId, action: 'deny', outcome: 'cancelled', by: 'sluice' },
  ...(toolCallId !== undefined && { toolCallId }),
  message: 'Sluice was stopped while this waited. The agent asks in its terminal.',
})

const noteCall = (
  calls: CallBook,
  { call, subagentId }: Extract<HookMessage, { type: 'call' }>,
): void => {
  const key = callKeyOf(call, subagentId)
  if (key !== undefined && call.callId !== undefined) calls.note(key, call.callId)
}

interface WaitingAsker extends Asker {
  readonly settled: Promise<string | undefined>
  leave(): void
}

const createAsker = (): WaitingAsker => {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  let isGone = false
  return {
    settled: promise,
    settle: resolve,
    isGone: () => isGone,
    leave() {
      isGone = true
    },
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
}
