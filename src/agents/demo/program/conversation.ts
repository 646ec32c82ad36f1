import type { AgentEvent } from '../../../events/types.ts'
import { createOpenEvents } from '../open-events.ts'
import { createDemoAccount } from './account.ts'
import { createApprovalRequests } from './approval-requests.ts'
import { createCommandReader } from './commands.ts'
import { createMessageQueue, type InputMessage } from './message-queue.ts'
import { pause, stopped } from './pause.ts'
import { runScript } from './run.ts'
import type { RunContext } from './run-context.ts'
import { scriptFor, steeredScript, withPreface } from './scripts.ts'
import { preface, resumeNote, summary, toolNames } from './texts.ts'
import { createWorker } from './worker.ts'

export interface ConversationOptions {
  cwd: string
  /** Milliseconds per word. */
  pace: number
  /** Makes ids unique across processes. */
  idPrefix: string
  /** Prints one line of output. */
  write(line: object): void
  model?: string
  /** Id of the conversation to continue. */
  resume?: string
}

/** The demo’s side of a conversation: commands in, events and replies out. */
export interface DemoConversation {
  /** Reads bytes of stdin: commands, one JSON object per line. */
  push(chunk: Uint8Array): void
  /** Runs one prompt without approval requests; resolves at its end. */
  once(text: string): Promise<void>
  /** Stops what runs. Nothing is printed afterwards. */
  close(): Promise<void>
}

export const createConversation = (options: ConversationOptions): DemoConversation => {
  const { pace, write } = options
  const open = createOpenEvents()
  const account = createDemoAccount()
  const newId = createIds(options.idPrefix)
  let model = options.model ?? 'demo-script'
  let introduction = introductionOf(options)

  /** Keeps the order: a run that was stopped may still emit events, which are dropped. */
  const emit = (event: AgentEvent): void => {
    if (open.accept(event)) write(event)
  }
  const approvals = createApprovalRequests(emit, newId)
  const queue = createMessageQueue(emit)
  const worker = createWorker((cause) => {
    emit(account.report())
    const events = cause === stopped ? open.close('aborted') : open.close('error', String(cause))
    for (const event of events) write(event)
  })

  /** Puts the introduction before the first answer. */
  const stepsFor = (message: InputMessage) => {
    const steps = withPreface(introduction, scriptFor(message))
    introduction = ''
    return steps
  }

  const run = (prompt: InputMessage, requestApproval?: RunContext['requestApproval']) =>
    worker.run((signal) => {
      const send: RunContext['requestApproval'] = (approval) => approvals.send(approval, signal)
      const context: RunContext = {
        ...{ emit, signal, pace, model, account, newId },
        requestApproval: requestApproval ?? send,
      }
      return runScript({ context, queue, stepsFor, steered: steeredScript }, prompt)
    })

  const compact = async (signal: AbortSignal): Promise<void> => {
    emit({ type: 'compaction_start', reason: 'manual' })
    try {
      await pause(pace * 40, signal)
    } catch (cause) {
      emit({ type: 'compaction_end', reason: 'manual', aborted: true })
      throw cause
    }
    emit({ type: 'compaction_end', reason: 'manual', summary, ...account.compact(summary) })
  }

  const reader = createCommandReader({
    isBusy: worker.isBusy,
    prompt: (message) => void run(message),
    queue: queue.add,
    compact: () => void worker.run(compact),
    abort: worker.stop,
    approve: approvals.reply,
    change(field, value) {
      if (field === 'model') model = value
      emit({ type: 'session_update', [field]: value })
    },
    reply: (reply) => write({ type: 'reply', ...reply }),
    fail: (message) => emit({ type: 'error', code: 'command_failed', message, fatal: false }),
  })

  for (const event of openingEvents(options, model)) emit(event)

  return {
    push: (chunk) => reader.push(chunk),
    once: (text) => run({ text, images: [] }, approvals.allow),
    close: worker.stop,
  }
}

const createIds = (prefix: string) => {
  let count = 0
  return (kind: string): string => {
    count += 1
    return `${prefix}-${kind}-${count}`
  }
}

const introductionOf = ({ resume }: ConversationOptions, separator = '\n\n'): string =>
  resume === undefined ? preface : `${resumeNote(resume)}${separator}${preface}`

const openingEvents = (options: ConversationOptions, model: string): AgentEvent[] => [
  {
    type: 'session_start',
    agent: 'demo',
    nativeId: options.resume ?? `demo-${options.idPrefix}`,
    model,
    cwd: options.cwd,
    tools: [...toolNames],
    contextWindow: 32_000,
  },
  { type: 'session_update', notice: { level: 'info', text: introductionOf(options, ' ') } },
]
