import type { AgentEvent } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'
import type { Decoder, DecoderOptions } from '../agent.ts'
import { opensSession } from '../session-start.ts'
import { createAbout } from './about.ts'
import { createApprovals } from './approvals.ts'
import { createCompaction } from './compaction.ts'
import { createMessages } from './messages.ts'
import { outcomeOf } from './result.ts'
import { createRun } from './run.ts'
import {
  commandOutput,
  controlResponse,
  hook,
  notice,
  replyOf,
  retryStart,
  toolProgress,
} from './system.ts'
import { createTasks } from './tasks.ts'
import { createTools } from './tools.ts'
import { blocksOf, textOfBlocks } from './wire.ts'

/** Reads Claude Code’s stream-json, with or without partial messages, one-shot or both ways. */
export const createClaudeDecoder = (options: DecoderOptions = {}): Decoder => {
  let out: AgentEvent[] = []
  let begun = false
  let retrying = false
  /** The person was seen to interrupt this turn. */
  let interrupted = false

  const emit = (event: AgentEvent) => {
    if (!begun && opensSession(event)) out.push({ type: 'session_start', agent: 'claude' })
    begun ||= event.type !== 'raw'
    if (retrying && event.type === 'message_start' && event.messageRole === 'assistant') endRetry()
    out.push(event)
  }

  const endRetry = (finalError?: string) => {
    if (!retrying) return
    retrying = false
    out.push({
      type: 'auto_retry_end',
      success: finalError === undefined,
      ...defined({ finalError }),
    })
  }

  const about = createAbout(emit, () => begun)
  const tasks = createTasks(emit)
  const run = createRun(emit, tasks.isBusy)
  const tools = createTools(emit, (toolCallId) => messages.closeThread(toolCallId))
  const messages = createMessages(options.scope ?? '', emit, run, tools)
  const approvals = createApprovals(emit)
  const compaction = createCompaction(emit)

  const init = (line: Fields) => {
    about.init(line)
    run.init()
  }

  const assistant = (line: Fields) => {
    compaction.passed()
    const isError = line.error !== undefined || line.is_api_error_message === true
    if (isError) endRetry(textOfBlocks(blocksOf(fieldsOf(line.message).content)))
    messages.assistant(line)
  }

  const user = (line: Fields) => {
    const { content } = fieldsOf(line.message)
    const said: unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : []
    for (const item of listOf(content)) {
      if (fieldsOf(item).type === 'tool_result') toolResult(line, fieldsOf(item))
      else said.push(item)
    }
    if (said.length > 0) userText(line, said)
  }

  const toolResult = (line: Fields, block: Fields) => {
    run.act()
    approvals.answered(stringOf(block.tool_use_id))
    tools.result(block, line.tool_use_result, stringOf(line.parent_tool_use_id))
  }

  const userText = (line: Fields, said: unknown[]) => {
    const blocks = blocksOf(said)
    const text = textOfBlocks(blocks)
    const isMain = stringOf(line.parent_tool_use_id) === undefined
    const printed = commandOutput(text)
    if (isMain && printed !== undefined) return emit(notice('info', printed))
    if (isMain && text.startsWith('[Request interrupted')) interrupted = true
    if (isMain && line.isReplay !== true && compaction.takes(text)) return
    messages.user(line, blocks)
  }

  const result = (line: Fields) => {
    const outcome = outcomeOf(line, interrupted)
    const isAlone = !run.isOpen()
    run.act()
    if (outcome.stopReason === 'aborted') messages.abort()
    messages.closeThread(undefined)
    if (!tasks.isBusy()) messages.close()
    tools.closeMain()
    endRetry(outcome.stopReason === 'error' ? outcome.errorMessage : undefined)
    compaction.passed()
    if (isAlone) tellResult(line, outcome.errorMessage)
    endTurn(outcome.stopReason)
    approvals.denials(line)
    about.report(line)
    interrupted = false
    if (!tasks.isBusy()) tools.close()
    run.result(outcome)
  }

  const endTurn = (stopReason: string) => {
    const last = messages.takeTurn()
    run.endTurn(last?.stopReason ?? stopReason, last?.usage)
  }

  /** `--output-format json` has the result only: its text is all that the agent said. */
  const tellResult = (line: Fields, errorMessage: string | undefined) => {
    const text = stringOf(line.result)
    if (!text) return
    const content = [{ type: 'text', text }]
    const message = { id: stringOf(line.uuid), model: '<synthetic>', content }
    messages.assistant({ message, ...(errorMessage !== undefined && { error: 'result' }) })
  }

  /** What a compaction sums up is complete. */
  const beforeCompaction = () => {
    run.act()
    messages.closeThread(undefined)
  }

  const status = (line: Fields) => {
    if (line.status === 'compacting') {
      beforeCompaction()
      compaction.start()
    }
    if (line.compact_result !== undefined) compaction.outcome(line)
    about.status(line)
  }

  const retry = (line: Fields) => {
    run.act()
    retrying = true
    emit(retryStart(line))
  }

  const notified = (line: Fields) => {
    tasks.notification(line)
    const toolCallId = stringOf(line.tool_use_id)
    if (toolCallId === undefined) return
    run.notify()
    tools.endDetached(toolCallId, stringOf(line.status) !== 'completed')
  }

  const system = (line: Fields): unknown => {
    switch (line.subtype) {
      case 'init':
      case undefined:
        return init(line)
      case 'status':
        return status(line)
      case 'api_retry':
        return retry(line)
      case 'task_started':
        return tasks.started(line)
      case 'task_progress':
        return tasks.progress(line)
      case 'task_updated':
        return tasks.updated(line)
      case 'task_notification':
        return notified(line)
      case 'background_tasks_changed':
        return tasks.changed(line)
      case 'compact_boundary':
        beforeCompaction()
        return compaction.boundary(line)
      case 'permission_denied':
        return approvals.denied(line)
      case 'hook_started':
        return emit(hook(line, 'started'))
      case 'hook_progress':
        return emit(hook(line, 'running'))
      case 'hook_response':
        return emit(hook(line, 'completed'))
      case 'informational':
      case 'notification':
        return emit(notice(stringOf(line.level) ?? 'info', line.content ?? line.text))
      case 'model_refusal_no_fallback':
        return emit(notice('warning', line.content))
      case 'model_fallback':
        return about.fallback(line)
      case 'session_title_changed':
        return emit({ type: 'session_update', ...defined({ name: stringOf(line.title) }) })
      case 'session_state_changed':
        return emit({ type: 'session_update', ...defined({ status: stringOf(line.state) }) })
      // Known, and nothing that a reader needs: a running estimate, a hint to redraw.
      case 'thinking_tokens':
      case 'ui_invalidate':
        return
      default:
        return unknown(line)
    }
  }

  const respond = (line: Fields) => {
    controlResponse(line).forEach(emit)
    options.onReply?.(replyOf(line))
  }

  const controlRequest = (line: Fields) => {
    const request = fieldsOf(line.request)
    switch (request.subtype) {
      case 'can_use_tool':
        run.act()
        return approvals.ask(stringOf(line.request_id) ?? '', request, tools.callOf(request))
      // Between the program and its host: nothing of it belongs to the conversation.
      case 'hook_callback':
      case 'mcp_message':
        return
      default:
        return unknown(line)
    }
  }

  const unknown = (line: unknown) => emit({ type: 'raw', agent: 'claude', line })

  const route = (line: Fields): unknown => {
    switch (line.type) {
      case 'stream_event':
        return messages.stream(line)
      case 'assistant':
        return assistant(line)
      case 'user':
        return user(line)
      case 'system':
        return system(line)
      case 'result':
        return result(line)
      case 'control_request':
        return controlRequest(line)
      case 'control_response':
        return respond(line)
      case 'control_cancel_request':
        return approvals.cancel(stringOf(line.request_id) ?? '')
      case 'conversation_reset':
        return about.reset(line)
      case 'tool_progress':
        return toolProgress(line).forEach(emit)
      case 'content_block_delta':
        return messages.stream({ event: line })
      // Known, and nothing that a reader needs.
      case 'command_lifecycle':
      case 'prompt_suggestion':
      case 'tool_use_summary':
      case 'keep_alive':
        return
      default:
        return unknown(line)
    }
  }

  const handOver = () => {
    const done = out
    out = []
    return done
  }

  return {
    push(line) {
      // `--output-format json --verbose` prints all lines as one array.
      if (isFields(line)) route(line)
      else if (!Array.isArray(line)) unknown(line)
      else
        for (const each of line) {
          if (isFields(each)) route(each)
          else unknown(each)
        }
      return handOver()
    },
    end() {
      approvals.close()
      endRetry()
      messages.close()
      compaction.close()
      tools.close()
      run.close()
      return handOver()
    },
  }
}
