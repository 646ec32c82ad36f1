import { setTimeout as pause } from 'node:timers/promises'
import type { SessionInfo } from '../../api/types.ts'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { ApprovalRequest } from '../chat/approval-prompt.ts'
import type { ServerFeed } from './server-feed.ts'

/** What a chat knows about its session on a server. */
export interface ServerState {
  isRunning: boolean
  /** How many messages are on their way. */
  sending: number
  /** The seq of the last event that shows what became of a prompt. */
  lastOutcome: number
  readonly pending: Map<string, ApprovalRequest>
  /** Adds a request that is open. */
  addRequest(request: Omit<ApprovalRequest, 'type'>): void
  /** Follows an event; false for a request that is in the list already. */
  accept(event: StampedEvent): boolean
}

export const createServerState = ({ state }: SessionInfo): ServerState => {
  const pending = new Map<string, ApprovalRequest>()
  return {
    isRunning: state === 'running',
    sending: 0,
    lastOutcome: 0,
    pending,
    addRequest: (request) =>
      void pending.set(request.approvalId, { ...request, type: 'approval_request' }),
    accept(event) {
      const isOfRun = event.parentToolCallId === undefined
      if (promptOutcomes.has(event.type)) this.lastOutcome = event.seq
      if (event.type === 'agent_start' && isOfRun) this.isRunning = true
      else if (event.type === 'agent_end' && isOfRun) this.isRunning = false
      else if (event.type === 'approval_resolved') pending.delete(event.approvalId)
      else if (event.type === 'approval_request') {
        if (pending.has(event.approvalId)) return false
        pending.set(event.approvalId, event)
      }
      return true
    },
  }
}

/** A prompt starts a run, or is not delivered. */
const promptOutcomes: ReadonlySet<string> = new Set(['agent_start', 'message_delivery', 'error'])

/** Waits until the server says that nothing runs, and until its last event is here. */
export const untilIdle = async (
  client: Client,
  id: string,
  feed: ServerFeed,
  state: ServerState,
): Promise<void> => {
  for (;;) {
    await feed.until(() => !state.isRunning && state.sending === 0)
    const { state: now, activity, seq = 0 } = await sessionNow(client, id)
    await feed.reached(seq)
    if (now !== 'running' && activity?.kind !== 'starting') return
    // A message that waited starts the next run.
    await feed.reached(seq + 1)
  }
}

/** The session, as soon as the server can be reached. */
const sessionNow = async (client: Client, id: string): Promise<SessionInfo> => {
  for (;;) {
    try {
      return await client.sessions.get(id)
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.status !== 0) throw cause
      await pause(retryMs)
    }
  }
}

const retryMs = 1000
