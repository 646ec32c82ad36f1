import { titleOfAgentIn } from '../../agents/known-agents.ts'
import type { Actor } from '../../events/types.ts'
import { unknownSession } from '../../log/log-fault.ts'
import type { CommandReceipt } from '../../log/types.ts'
import type { CommandResult, Session } from '../../session/conversation/session.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { problemOfFault } from '../problem-of.ts'
import { requireIntactSession, requireSession } from '../require-session.ts'
import type { RouteResponse } from '../send-response.ts'

export interface SessionCommand {
  /** What the agent must support, to finish the sentence “The agent does not support …”. */
  feature: string
  /** `seq`: the last event before the command. */
  send(session: Session, seq: number): Promise<CommandResult>
  /** Throws a `Problem` when the sender may not send it now. */
  check?(): Promise<void>
}

/** Sends a command to the agent of a session, behind all earlier commands of the session. */
export const sendCommand = (
  app: AppContext,
  id: string,
  { feature, send, check }: SessionCommand,
): Promise<RouteResponse> =>
  app.commandOrder.run(
    id,
    async () => {
      const record = await requireIntactSession(app.log, id)
      // Checked again: since the session was created, the path may have become a link elsewhere.
      await app.roots.check(record.cwd)
      await check?.()
      return { title: titleOfAgentIn(record), ...(await loadSession(app, id)) }
    },
    async ({ title, session, seq }) => {
      const result = await send(session, seq)
      // When the session was removed in the meantime, that is the reason, and the problem to send.
      if (result.outcome === 'gone' || result.outcome === 'failed')
        await requireSession(app.log, id)
      return responseTo(result, {
        accepted: acceptedResponse(id, seq),
        unsupported: `${title} does not support ${feature}.`,
        state: session.isBusy() ? 'running' : 'idle',
      })
    },
  )

/** Aborts the run of a session, behind all earlier commands of the session. */
export const requestAbort = (app: AppContext, id: string, by: Actor): Promise<RouteResponse> =>
  app.commandOrder.run(
    id,
    async () => {
      await requireSession(app.log, id)
      return loadSession(app, id)
    },
    async ({ session, seq }) => {
      // Not awaited: it may take long, and the stream shows when the run has ended.
      session.abort({ by }).catch(app.onError)
      return acceptedResponse(id, seq)
    },
  )

/** A session, and the seq of its latest event. */
const loadSession = async (
  app: AppContext,
  id: string,
): Promise<{ session: Session; seq: number }> => {
  const seq = await app.log.head(id)
  const session = await app.sessions.get(id)
  if (!session) throw unknownSession(id)
  return { session, seq }
}

const acceptedResponse = (sessionId: string, seq: number): RouteResponse => ({
  status: 202,
  body: { sessionId, outcome: 'accepted', seq },
})

/** The response to a command that was accepted before: it is not sent again. */
export const receiptResponse = ({ sessionId, seq, state }: CommandReceipt): RouteResponse => ({
  status: 202,
  body: {
    sessionId,
    outcome: 'accepted',
    seq,
    ...(state === 'interrupted' && { interrupted: true }),
  },
})

interface ResponseParts {
  accepted: RouteResponse
  /** The detail for a command that the agent does not support. */
  unsupported: string
  state: string
}

const responseTo = (
  result: CommandResult,
  { accepted, unsupported, state }: ResponseParts,
): RouteResponse => {
  switch (result.outcome) {
    case 'accepted':
      return accepted
    // It was sent, and sending it again could run it twice.
    case 'unanswered':
      return accepted
    case 'busy':
      throw new Problem(409, 'agent_busy', result.error, { state })
    case 'refused':
      throw new Problem(409, 'agent_refused', result.error, { state })
    case 'not_queued':
      throw new Problem(404, 'unknown_message', result.error)
    case 'already_sent':
      throw new Problem(409, 'message_sent', result.error, { state })
    case 'unsupported':
      throw new Problem(422, 'not_supported', result.error ?? unsupported)
    case 'gone':
      throw new Problem(409, 'agent_failed', goneDetail(result.error), { state })
    case 'failed':
      throw (
        problemOfFault(result.code, result.error) ??
        new Problem(409, 'agent_failed', result.error, { state })
      )
  }
}

/** `reason`: how the agent ended, with the end of its stderr. */
const goneDetail = (reason: string | undefined): string =>
  `The agent exited before it accepted the command.${reason === undefined ? '' : ` ${reason}`}`
