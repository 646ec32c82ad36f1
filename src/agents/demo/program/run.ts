import { retryReasonOf } from '../../retry-reason.ts'
import { demoStopReason, emitUserMessage, streamMessage } from './message.ts'
import type { InputMessage, MessageQueue } from './message-queue.ts'
import { pause } from './pause.ts'
import { replay } from './replay.ts'
import { runCalls } from './run-calls.ts'
import type { RunContext } from './run-context.ts'
import type { CallResult, MessageStep, ScriptedFailure, Step } from './script.ts'

export interface ScriptRunOptions {
  context: RunContext
  queue: MessageQueue
  /** The steps that answer a prompt. */
  stepsFor(message: InputMessage): readonly Step[]
  /** The steps that follow a steering message. */
  steered(message: InputMessage): readonly Step[]
}

/** Runs the script of a prompt to its end, with the messages that are delivered on the way. */
export const runScript = async (options: ScriptRunOptions, prompt: InputMessage): Promise<void> => {
  const { context, queue } = options
  const { emit, account } = context
  const retries = createRetries(context)
  const delivered = [prompt]
  let steps = options.stepsFor(prompt)
  let results: readonly CallResult[] = []
  let failure: ScriptedFailure | undefined
  emit({ type: 'agent_start' })

  const nextStep = (): Step | undefined => {
    const steering = queue.next('steering')
    const message = steering ?? (steps.length === 0 ? queue.next('followUp') : undefined)
    if (message) {
      delivered.push(message)
      steps = steering ? options.steered(message) : options.stepsFor(message)
    }
    const [step, ...rest] = steps
    steps = rest
    return step
  }

  for (let step = nextStep(); step !== undefined; step = nextStep()) {
    if (step === 'replay') {
      await replay(context)
      continue
    }
    emit({ type: 'turn_start' })
    for (const message of delivered.splice(0)) emitUserMessage(context, message)
    const turn = await runStep(context, step, results)
    results = turn.results
    if (step.failure === undefined) retries.succeeded()
    else if (!(await retries.retry(step.failure, turn.messageId))) {
      failure = step.failure
      break
    }
  }
  emit(account.report())
  if (failure) emit({ type: 'agent_end', stopReason: 'error', errorMessage: failure.message })
  else emit({ type: 'agent_end', stopReason: 'stop' })
}

const runStep = async (context: RunContext, step: MessageStep, before: readonly CallResult[]) => {
  const { thinking, text, failure } = step
  const content = {
    text: typeof text === 'string' ? text : text(before),
    calls: (step.calls ?? []).map((call) => ({ ...call, id: context.newId('call') })),
    ...(thinking !== undefined && { thinking }),
    ...(failure && { failure }),
  }
  const messageId = await streamMessage(context, content)
  const results = await runCalls(context, content.calls)
  context.emit({ type: 'turn_end', stopReason: demoStopReason(content) })
  return { messageId, results }
}

/** The retries of model calls that pretend to fail. */
const createRetries = ({ emit, pace, signal }: RunContext) => {
  let attempt = 0
  return {
    /** Withdraws the message of the failed call and waits; false if there is no retry. */
    async retry(failure: ScriptedFailure, messageId: string): Promise<boolean> {
      const { message, retryAfter } = failure
      if (retryAfter === undefined) return false
      attempt += 1
      const delayMs = pace * retryAfter
      emit({
        type: 'auto_retry_start',
        attempt,
        delayMs,
        ...retryReasonOf({ error: message }),
        maxAttempts: 3,
      })
      emit({ type: 'message_withdrawn', messageId, reason: 'retried' })
      try {
        await pause(delayMs, signal)
      } catch (cause) {
        emit({ type: 'auto_retry_end', success: false, attempt, finalError: 'Stopped.' })
        throw cause
      }
      return true
    },
    succeeded(): void {
      if (attempt > 0) emit({ type: 'auto_retry_end', success: true, attempt })
      attempt = 0
    },
  }
}
