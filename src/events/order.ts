import type { AgentEvent, EventOf } from './event.ts'

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
export const createOrder = () => {
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
  let found: Violation[] = []

  const demand = (holds: boolean, event: AgentEvent, rule: string) => {
    if (!holds) found.push({ at, type: event.type, rule })
  }

  const inRun = (event: AgentEvent) =>
    demand(running, event, 'must lie between agent_start and agent_end')

  const stage = (
    event: AgentEvent,
    id: string,
    from: readonly (ToolStage | undefined)[],
    to: ToolStage,
  ) => {
    inRun(event)
    const now = tools.get(id)
    demand(from.includes(now), event, `tool ${id} is ${now ?? 'not called yet'}`)
    tools.set(id, to)
  }

  const startMessage = (event: EventOf<'message_start'>) => {
    if (!isAside(event.messageRole)) inRun(event)
    const thread = event.parentToolCallId ?? ''
    demand(!seen.has(event.messageId), event, `message ${event.messageId} was there before`)
    demand(!openOn.has(thread), event, 'another message of this thread is still open')
    seen.add(event.messageId)
    openOn.set(thread, event.messageId)
    open.set(event.messageId, { role: event.messageRole, last: undefined })
  }

  const updateMessage = (event: EventOf<'message_update'>) => {
    inRun(event)
    const message = open.get(event.messageId)
    demand(message !== undefined, event, `message ${event.messageId} is not open`)
    if (!message) return
    demand(message.role === 'assistant', event, 'only assistant messages stream')
    demand(
      message.last !== 'done' && message.last !== 'error',
      event,
      'nothing follows done or error',
    )
    message.last = event.assistantMessageEvent.type
  }

  const endMessage = (event: EventOf<'message_end'>) => {
    if (!isAside(event.message.role)) inRun(event)
    const message = open.get(event.messageId)
    demand(message !== undefined, event, `message ${event.messageId} is not open`)
    if (message?.role === 'assistant')
      demand(
        message.last === 'done' || message.last === 'error',
        event,
        'the last update of an assistant message is done or error',
      )
    open.delete(event.messageId)
    openOn.delete(event.parentToolCallId ?? '')
  }

  const endRun = (event: AgentEvent) => {
    demand(running, event, 'no run is open')
    demand(open.size === 0, event, 'a message is still open')
    demand(!turnOpen, event, 'a turn is still open')
    for (const [id, now] of tools)
      demand(now === 'ended' || now === 'reported', event, `tool ${id} is still ${now}`)
    running = false
  }

  const startRun = (event: AgentEvent) => {
    demand(!running, event, 'a run is already open')
    running = true
  }

  const startTurn = (event: AgentEvent) => {
    inRun(event)
    demand(!turnOpen, event, 'a turn is already open')
    turnOpen = true
  }

  const endTurn = (event: AgentEvent) => {
    inRun(event)
    demand(turnOpen, event, 'no turn is open')
    turnOpen = false
  }

  const ask = (event: EventOf<'approval_request'>) => {
    const { approvalId } = event
    demand(!approvals.has(approvalId), event, `approval ${approvalId} was asked before`)
    approvals.add(approvalId)
  }

  const resolve = (event: EventOf<'approval_resolved'>) => {
    const asked = approvals.delete(event.approvalId)
    demand(asked || event.outcome === 'policy', event, `approval ${event.approvalId} is not open`)
  }

  const route = (event: AgentEvent) => {
    switch (event.type) {
      case 'session_start':
        return demand(!heard, event, 'comes first, once')
      case 'agent_start':
        return startRun(event)
      case 'agent_end':
        return endRun(event)
      case 'turn_start':
        return startTurn(event)
      case 'turn_end':
        return endTurn(event)
      case 'message_start':
        return startMessage(event)
      case 'message_update':
        return updateMessage(event)
      case 'message_end':
        return endMessage(event)
      case 'message_withdrawn':
        return demand(
          seen.has(event.messageId),
          event,
          `message ${event.messageId} was never there`,
        )
      case 'tool_call':
        return stage(event, event.toolCallId, [undefined, 'ended', 'reported'], 'called')
      case 'tool_execution_start':
        return stage(event, event.toolCallId, ['called'], 'started')
      case 'tool_execution_update':
        return stage(event, event.toolCallId, ['started'], 'started')
      case 'tool_execution_end':
        return stage(event, event.toolCallId, ['started'], 'ended')
      case 'tool_result':
        return stage(event, event.message.toolCallId, ['ended'], 'reported')
      case 'approval_request':
        return ask(event)
      case 'approval_resolved':
        return resolve(event)
    }
  }

  return {
    /** Violations that this event commits. */
    push(event: AgentEvent): Violation[] {
      at += 1
      found = []
      route(event)
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
  const order = createOrder()
  const found: Violation[] = []
  for (const event of events) found.push(...order.push(event))
  return [...found, ...order.end()]
}

/** An extension may put its note into the conversation while the agent rests. */
const isAside = (role: string) => role === 'custom' || role === 'system'
