import { adapterOf } from '../../bus/adapters.ts'
import type { Bus } from '../../bus/bus.ts'
import type { RequestOf, ResponseOf, RpcSubject } from '../../bus/subjects/table.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { SessionRecord } from '../../log/types.ts'
import { defined, fieldsOf } from '../../shared/fields.ts'
import type { ApprovalDecision } from '../conversation/approvals.ts'

export interface ApprovalRequesterOptions {
  bus: Bus
  record: Pick<SessionRecord, 'id' | 'agent' | 'nativeId'>
  now(): number
  /** Whether a request still waits: a rule may have decided before anybody heard of it. */
  isOpen(approvalId: string): boolean
  answer(approvalId: string, decision: ApprovalDecision): void
  onError(cause: unknown): void
}

type Asked = Extract<StampedEvent, { type: 'approval_request' }>

/**
 * Asks on the bus what an agent asks about a tool. An answer from there is one like any other: the
 * first counts. Where nobody answers, the question stays open for others until its deadline.
 */
export const createApprovalRequester = ({ bus, record, ...options }: ApprovalRequesterOptions) => {
  const adapter = adapterOf(record.agent)
  const open = new Map<string, AbortController>()
  let nativeId = record.nativeId ?? record.id

  const requestOf = (name: string, event: Asked): RequestOf<RpcSubject> | undefined => {
    const { toolCallId, toolName, args, reasoning, sessionId, timestamp: occurredAt } = event
    // A question is for a person: a program that allows tools cannot answer it.
    if (toolCallId === undefined || event.kind === 'question') return undefined
    return {
      adapterId: name,
      adapterName: name,
      adapterSessionId: nativeId,
      agentId: record.agent,
      args: { ...fieldsOf(args) },
      occurredAt,
      sessionId,
      toolCallId,
      ...defined({ toolName, reasoning }),
    }
  }

  const ask = async (event: Asked): Promise<void> => {
    const request = adapter && requestOf(adapter.name, event)
    if (!request) return
    const { approvalId, deadline = options.now() } = event
    const control = new AbortController()
    open.set(approvalId, control)
    const reply = await bus.request(adapter.approval, request, {
      deadlineMs: deadline - options.now(),
      signal: control.signal,
    })
    open.delete(approvalId)
    if (reply.outcome === 'answered') options.answer(approvalId, decisionOf(reply.value))
  }

  return {
    note(event: StampedEvent): void {
      if (event.type === 'approval_request' && options.isOpen(event.approvalId))
        ask(event).catch(options.onError)
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
