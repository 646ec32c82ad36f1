import type { AgentEvent, EventOf } from './types.ts'

/** One breach of the ordering that the stream promises. */
export interface Violation {
  /** Position of the offending event, from 0. */
  at: number
  type: AgentEvent['type']
  rule: string
}

type ToolStage = 'called' | 'started' | 'ended' | 'reported'
type OpenMessage = { role: string; last: string | undefined }

/**
 * The ordering guarantees as one checker: events in, violations out.
 * agent_start first and agent_end last; message_start, updates, message_end; tool_call,
 * tool_execution_start, updates, tool_execution_end, tool_result. Tools run in parallel, threads
 * (main and subagents) interleave; queue, compaction, retry and session events may come anywhere.
 */
export const createOrderChecker = () => {
  let at = -1
  /** Something came that is not noise. */
  let heard = false
  let running = false
  let turnOpen = false
  const open = new Map<string, OpenMessage>()
  const seen = new Set<string>()
  const openOn = new Map<string, string>()
  const tools = new Map<string, ToolStage>()
  const approvals = new Set<string>()
  let broken: string[] = []

  const demand = (holds: boolean, rule: string) => {
    if (!holds) broken.push(rule)
  }

  const inRun = () => demand(running, 'must lie between agent_start and agent_end')

  const checkStage = (id: string, allowed: readonly (ToolStage | undefined)[]) => {
    inRun()
    const now = tools.get(id)
    demand(allowed.includes(now), `tool ${id} is ${now ?? 'not called yet'}`)
  }

  const checkMessageStart = (event: EventOf<'message_start'>) => {
    if (!isAside(event.messageRole)) inRun()
    demand(!seen.has(event.messageId), `message ${event.messageId} was there before`)
    demand(!openOn.has(threadOf(event)), 'another message of this thread is still open')
  }

  const checkMessageUpdate = ({ messageId }: EventOf<'message_update'>) => {
    inRun()
    const message = open.get(messageId)
    demand(message !== undefined, `message ${messageId} is not open`)
    if (!message) return
    demand(message.role === 'assistant', 'only assistant messages stream')
    demand(!isLast(message.last), 'nothing follows done or error')
  }

  const checkMessageEnd = (event: EventOf<'message_end'>) => {
    if (!isAside(event.message.role)) inRun()
    const message = open.get(event.messageId)
    demand(message !== undefined, `message ${event.messageId} is not open`)
    if (message?.role === 'assistant')
      demand(isLast(message.last), 'the last update of an assistant message is done or error')
  }

  const checkRunEnd = () => {
    demand(running, 'no run is open')
    demand(open.size === 0, 'a message is still open')
    demand(!turnOpen, 'a turn is still open')
    for (const [id, now] of tools)
      demand(now === 'ended' || now === 'reported', `tool ${id} is still ${now}`)
  }

  const judge = (event: AgentEvent) => {
    switch (event.type) {
      case 'session_start':
        return demand(!heard, 'comes first, once')
      case 'agent_start':
        return demand(!running, 'a run is already open')
      case 'agent_end':
        return checkRunEnd()
      case 'turn_start':
        inRun()
        return demand(!turnOpen, 'a turn is already open')
      case 'turn_end':
        inRun()
        return demand(turnOpen, 'no turn is open')
      case 'message_start':
        return checkMessageStart(event)
      case 'message_update':
        return checkMessageUpdate(event)
      case 'message_end':
        return checkMessageEnd(event)
      case 'message_withdrawn':
        return demand(seen.has(event.messageId), `message ${event.messageId} was never there`)
      case 'tool_call':
        return checkStage(event.toolCallId, [undefined, 'ended', 'reported'])
      case 'tool_execution_start':
        return checkStage(event.toolCallId, ['called'])
      case 'tool_execution_update':
      case 'tool_execution_end':
        return checkStage(event.toolCallId, ['started'])
      case 'tool_result':
        return checkStage(event.message.toolCallId, ['ended'])
      case 'approval_request':
        return demand(
          !approvals.has(event.approvalId),
          `approval ${event.approvalId} was asked before`,
        )
      case 'approval_resolved':
        return demand(
          approvals.has(event.approvalId) || event.outcome === 'policy',
          `approval ${event.approvalId} is not open`,
        )
    }
  }

  const apply = (event: AgentEvent): unknown => {
    switch (event.type) {
      case 'agent_start':
      case 'agent_end':
        running = event.type === 'agent_start'
        return
      case 'turn_start':
      case 'turn_end':
        turnOpen = event.type === 'turn_start'
        return
      case 'message_start':
        seen.add(event.messageId)
        openOn.set(threadOf(event), event.messageId)
        return open.set(event.messageId, { role: event.messageRole, last: undefined })
      case 'message_update': {
        const message = open.get(event.messageId)
        if (message) message.last = event.assistantMessageEvent.type
        return
      }
      case 'message_end':
        openOn.delete(threadOf(event))
        return open.delete(event.messageId)
      case 'tool_call':
        return tools.set(event.toolCallId, 'called')
      case 'tool_execution_start':
      case 'tool_execution_update':
        return tools.set(event.toolCallId, 'started')
      case 'tool_execution_end':
        return tools.set(event.toolCallId, 'ended')
      case 'tool_result':
        return tools.set(event.message.toolCallId, 'reported')
      case 'approval_request':
        return approvals.add(event.approvalId)
      case 'approval_resolved':
        return approvals.delete(event.approvalId)
    }
  }

  /** The rules that this event would break, if it came now. */
  const check = (event: AgentEvent): readonly string[] => {
    broken = []
    judge(event)
    return broken
  }

  return {
    check,
    /** Violations that this event commits. It counts as having happened all the same. */
    push(event: AgentEvent): Violation[] {
      at += 1
      const found = check(event).map((rule) => ({ at, type: event.type, rule }))
      apply(event)
      heard ||= event.type !== 'raw' && event.type !== 'error'
      return found
    },
    /** Violations that show only when nothing more comes. */
    end(): Violation[] {
      return running ? [{ at, type: 'agent_end', rule: 'the stream ended inside a run' }] : []
    },
  }
}

/** Checks a whole stream. */
export const checkOrder = (events: Iterable<AgentEvent>): Violation[] => {
  const order = createOrderChecker()
  const found: Violation[] = []
  for (const event of events) found.push(...order.push(event))
  return [...found, ...order.end()]
}

/** An extension may put its note into the conversation while the agent rests. */
const isAside = (role: string) => role === 'custom' || role === 'system'

const threadOf = ({ parentToolCallId = '' }: AgentEvent): string => parentToolCallId

const isLast = (update: string | undefined) => update === 'done' || update === 'error'
