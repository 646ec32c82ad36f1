import type { AgentEvent } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, flagOf, isFields, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { opensSession } from '../session-start.ts'
import { dialog } from './dialog.ts'
import { createMessages } from './messages.ts'
import { createRun } from './run.ts'
import * as session from './session.ts'
import { createTools } from './tools.ts'
import { usageOf } from './wire.ts'

/** Reads Pi’s print mode, RPC mode and SDK events, in every dialect since 0.51. */
export const createPiDecoder = (options: DecoderOptions = {}): Decoder => {
  let out: AgentEvent[] = []
  let begun = false
  /** Questions that wait, with the call that they are about. */
  const openDialogs = new Map<string, string | undefined>()
  let isCompacting = false

  const emit = (event: AgentEvent) => {
    if (!begun && opensSession(event)) out.push({ type: 'session_start', agent: 'pi' })
    begun ||= event.type !== 'raw'
    if (event.type === 'compaction_start') isCompacting = true
    if (event.type === 'compaction_end') isCompacting = false
    if (event.type === 'approval_request') openDialogs.set(event.approvalId, event.toolCallId)
    if (event.type === 'tool_execution_end' && !event.interrupted) answered(event.toolCallId)
    out.push(event)
  }

  /** The call went on, so its question has been answered; by whom, the stream does not say. */
  const answered = (toolCallId: string) => {
    for (const [id, about] of openDialogs) if (about === toolCallId) openDialogs.delete(id)
  }

  const run = createRun(emit)
  const tools = createTools(emit)
  const messages = createMessages(options.scope ?? '', emit, run, tools)

  const header = (line: Fields) => {
    const about = defined({ nativeId: stringOf(line.id), cwd: stringOf(line.cwd) })
    if (begun) emit({ type: 'session_update', ...about })
    else emit({ type: 'session_start', agent: 'pi', ...about })
  }

  /** Nothing of an attempt outlives it, even where the agent lost the closing lines. */
  const closeAttempt = () => {
    messages.close()
    tools.close()
  }

  const attemptEnd = (line: Fields) => {
    closeAttempt()
    run.attemptEnded(flagOf(line.willRetry))
  }

  const settled = (line: Fields) => {
    closeAttempt()
    run.settled(flagOf(line.aborted))
  }

  const turnEnd = (line: Fields) => {
    const message = fieldsOf(line.message)
    run.endTurn({
      type: 'turn_end',
      ...defined({ stopReason: stringOf(message.stopReason), usage: usageOf(message.usage) }),
    })
  }

  const retryStart = (line: Fields) => {
    run.goesOn()
    emit(session.retryStart(line))
    messages.withdrawFailed()
  }

  const retryEnd = (line: Fields) => {
    emit(session.retryEnd(line))
    if (line.success === false) run.gaveUp()
  }

  const compactionEnd = (line: Fields) => {
    emit(session.compactionEnd(line))
    if (flagOf(line.willRetry)) {
      run.goesOn()
      messages.withdrawFailed()
    } else run.gaveUp()
  }

  const runTool = (handle: (line: Fields) => void, line: Fields) => {
    run.ensure()
    handle(line)
  }

  const respond = (line: Fields) => {
    // We ask for these in the middle of a run; of other commands none is sent before it is over.
    if (line.command !== 'get_session_stats') run.gaveUp()
    for (const event of session.response(line)) emit(event)
    options.onReply?.(session.replyOf(line))
  }

  const ask = (line: Fields) => {
    for (const event of dialog(line, tools.latest())) emit(event)
  }

  const closeDialogs = () => {
    const gone = { action: 'deny', outcome: 'agent_gone' } as const
    for (const [approvalId, toolCallId] of openDialogs)
      emit({ type: 'approval_resolved', approvalId, ...defined({ toolCallId }), ...gone })
    openDialogs.clear()
  }

  const route = (line: Fields): unknown => {
    switch (line.type) {
      case 'message_update':
        return messages.update(line)
      case 'message_start':
        return messages.start(fieldsOf(line.message))
      case 'message_end':
        return messages.end(fieldsOf(line.message))
      case 'tool_execution_start':
        return runTool(tools.start, line)
      case 'tool_execution_update':
        return runTool(tools.update, line)
      case 'tool_execution_end':
        return runTool(tools.end, line)
      case 'turn_start':
        return run.startTurn()
      case 'turn_end':
        return turnEnd(line)
      case 'agent_start':
        return run.start()
      case 'agent_end':
        return attemptEnd(line)
      case 'agent_settled':
        return settled(line)
      case 'session':
        return header(line)
      case 'queue_update':
        return emit(session.queueUpdate(line))
      case 'compaction_start':
        return emit(session.compactionStart(line))
      case 'compaction_end':
        return compactionEnd(line)
      case 'auto_retry_start':
        return retryStart(line)
      case 'auto_retry_end':
        return retryEnd(line)
      case 'summarization_retry_scheduled':
        return emit(session.retryStart(line, 'compaction'))
      case 'summarization_retry_finished':
        return emit(session.retryEnd(line, 'compaction'))
      case 'session_info_changed':
        return emit(session.sessionInfo(line))
      case 'thinking_level_changed':
        return emit(session.thinkingLevel(line))
      case 'extension_ui_request':
        return ask(line)
      case 'extension_error':
        return emit(session.extensionError(line))
      case 'bash_execution_update':
        return emit(session.shellUpdate(line))
      case 'response':
        return respond(line)
      // Known, and nothing that a reader needs: the session file’s own bookkeeping.
      case 'entry_appended':
      case 'summarization_retry_attempt_start':
        return
      default:
        return emit({ type: 'raw', agent: 'pi', line })
    }
  }

  const handOver = () => {
    const done = out
    out = []
    return done
  }

  return {
    push(line) {
      if (isFields(line)) route(line)
      else emit({ type: 'raw', agent: 'pi', line })
      return handOver()
    },
    end() {
      closeDialogs()
      if (isCompacting) emit({ type: 'compaction_end', aborted: true })
      closeAttempt()
      run.close()
      return handOver()
    },
  }
}
