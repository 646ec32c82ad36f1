import { adapterOf } from '../../bus/adapters.ts'
import type { Bus } from '../../bus/bus.ts'
import { requestToolApproval } from '../../bus/request-approval.ts'
import type { AgentSubjects } from '../../bus/subjects/agent.ts'
import type { RequestOf, ResponseOf, RpcSubject } from '../../bus/subjects/table.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { SessionRecord } from '../../log/types.ts'
import { defined, fieldsOf } from '../../shared/fields.ts'
import type { ApprovalDecision } from '../conversation/session.ts'

export interface ApprovalRequesterOptions {
  bus: Bus
  record: Pick<SessionRecord, 'id' | 'agent' | 'nativeId'>
  now(): number
  /** Whether a request is still open: a policy may have resolved it before it was published. */
  isOpen(approvalId: string): boolean
  answer(approvalId: string, decision: ApprovalDecision): void
  onError(cause: unknown): void
}

/**
 * Sends the approval requests of one session to responders on a bus. Their answers count like any
 * other: the first one wins. Without an answer, a request stays open for others until its deadline.
 */
export interface ApprovalRequester {
  /** Accepts an event that was published: starts and withdraws requests. */
  onEvent(event: StampedEvent): void
}

type RequestEvent = Extract<StampedEvent, { type: 'approval_request' }>

export const createApprovalRequester = (options: ApprovalRequesterOptions): ApprovalRequester => {
  const { bus, record, now } = options
  const adapter = adapterOf(record.agent)
  const open = new Map<string, AbortController>()
  let nativeId = record.nativeId ?? record.id

  const busRequest = (adapterName: string, event: RequestEvent) => {
    const { toolCallId, toolName, args, reasoning, sessionId, timestamp: occurredAt } = event
    // A question is for a person: a program that allows tools cannot answer it.
    if (toolCallId === undefined || event.kind === 'question') return undefined
    return {
      adapterId: adapterName,
      adapterName,
      adapterSessionId: nativeId,
      agentId: record.agent,
      args: { ...fieldsOf(args) },
      occurredAt,
      sessionId,
      toolCallId,
      ...defined({ toolName, reasoning }),
    } satisfies RequestOf<typeof AgentSubjects.toolApprove>
  }

  const send = async (event: RequestEvent): Promise<void> => {
    const request = adapter && busRequest(adapter.name, event)
    if (!request) return
    const { approvalId, deadline = Number.POSITIVE_INFINITY } = event
    const control = new AbortController()
    open.set(approvalId, control)
    const reply = await requestToolApproval(bus, adapter.subjects.tool_approval, request, {
      deadlineMs: deadline - now(),
      signal: control.signal,
    })
    open.delete(approvalId)
    if (reply.outcome === 'answered') options.answer(approvalId, decisionOf(reply.value))
  }

  return {
    onEvent(event) {
      if (event.type === 'approval_request' && options.isOpen(event.approvalId))
        send(event).catch(options.onError)
      else if (event.type === 'approval_resolved') open.get(event.approvalId)?.abort()
      else if (event.type === 'session_start' || event.type === 'session_update')
        nativeId = event.nativeId ?? nativeId
    },
  }
}

const decisionOf = (response: ResponseOf<RpcSubject>): ApprovalDecision => {
  const { action, message } = response
  if (action === 'deny') return { action, by: 'bus', ...defined({ message }) }
  const { remember, updatedInput } = response
  return { action, by: 'bus', ...defined({ message, remember, updatedInput }) }
}
