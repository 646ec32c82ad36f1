import { describeUse } from '../../budget/amounts.ts'
import type { EventOf, StampedEvent } from '../../events/types.ts'
import { inputSummary } from '../../handler/console-handler.ts'
import { budgetNotice, resultText } from '../../handler/dispatch.ts'
import type { Style } from '../../handler/style.ts'
import { textOfCost } from '../../handler/summary-line.ts'
import { shortened } from '../../shared/shortened.ts'
import { plainLine } from '../clean-text.ts'
import { shortId } from '../find-session.ts'

export interface EventLineOptions {
  style: Style
  /** How wide the screen is; undefined when nobody looks at one. */
  columns?: number | undefined
  /** Whether events of several sessions are printed. */
  hasSession: boolean
}

/** In a pipe, a line may be long, but not without end. */
const longestLine = 1000
const typeWidth = 18
/** Narrower than this, a detail would have no room beside the type. */
const wideColumns = 60

/** An event in one line: the time, the session if there are several, the type, and what happened. */
export const eventLine = (
  event: StampedEvent,
  { style, columns, hasSession }: EventLineOptions,
): string => {
  const time = new Date(event.timestamp).toLocaleTimeString('sv-SE')
  const session = hasSession ? [shortId(plainLine(event.sessionId))] : []
  const isNarrow = columns !== undefined && columns < wideColumns
  const head = [time, ...session].join(' ')
  const type = isNarrow ? event.type : event.type.padEnd(typeWidth)
  const room = (columns ?? longestLine) - head.length - type.length - 2
  const detail = shortened(plainLine(detailOf(event)).trim(), Math.max(8, room))
  return `${style('dim', head)} ${painted(event, type, style)} ${detail}`.trimEnd()
}

const painted = (event: StampedEvent, type: string, style: Style): string => {
  if (event.type === 'error' || (event.type === 'agent_end' && isFailed(event)))
    return style('red', type)
  if (event.type === 'approval_request') return style('yellow', type)
  return event.type === 'tool_call' ? style('blue', type) : type
}

const isFailed = ({
  stopReason,
  interrupted,
}: {
  stopReason?: string | undefined
  interrupted?: true | undefined
}) => stopReason === 'error' || interrupted === true

/** What happened, without what the type says already. */
const detailOf = (event: StampedEvent): string => {
  switch (event.type) {
    case 'message_end':
      return `${event.message.role}: ${firstLine(resultText(event.message))}`
    case 'message_update':
      return 'delta' in event.assistantMessageEvent ? `${event.assistantMessageEvent.delta}` : ''
    case 'tool_call':
      return `${event.toolName} ${inputSummary(event.input)}`
    case 'tool_execution_end':
      return `${toolOutcomeOf(event)} ${firstLine(resultText(event.result))}`
    case 'approval_request':
      return `${event.toolName ?? event.dialog?.title ?? event.kind} ${event.budget ? describeUse(event.budget) : inputSummary(event.args)}`
    case 'approval_resolved':
      return [event.action, event.outcome, event.by].filter((part) => part !== undefined).join(' ')
    case 'agent_end':
      return event.errorMessage ?? event.stopReason ?? ''
    case 'error':
      return event.message
    case 'session_update':
      return event.notice?.text ?? event.status ?? ''
    case 'usage_update':
      return event.totals.costUsd === null ? '' : textOfCost(event.totals.costUsd)
    case 'budget_update':
      return budgetNotice(event)
    default:
      return ''
  }
}

const toolOutcomeOf = ({
  interrupted,
  exitCode = 0,
  isError = exitCode !== 0,
}: EventOf<'tool_execution_end'>): string => {
  if (interrupted) return 'interrupted'
  return isError ? 'failed' : 'ok'
}

const firstLine = (text: string): string =>
  text.split('\n').find((line) => line.trim() !== '') ?? ''
