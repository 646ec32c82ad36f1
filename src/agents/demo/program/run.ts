import { pause } from './pause.ts'
import { replay } from './replay.ts'
import { hear, speak, stopReasonOf } from './speech.ts'
import type { Stage } from './stage.ts'
import type { Result, Spoken, Step } from './step.ts'
import { playCalls } from './tool.ts'
import type { Said, Waiting } from './waiting.ts'

export interface RunOptions {
  stage: Stage
  waiting: Waiting
  stepsFor(said: Said): readonly Step[]
  /** Steps of a run that was told something else on its way. */
  steered(said: Said): readonly Step[]
}

/** Plays one run from its prompt to its end, with what joins it on the way. */
export const playRun = async (options: RunOptions, first: Said): Promise<void> => {
  const { stage, waiting } = options
  const retries = createRetries(stage)
  const heard = [first]
  let steps = options.stepsFor(first)
  let results: readonly Result[] = []
  let failure: string | undefined
  stage.tell({ type: 'agent_start' })

  const next = (): Step | undefined => {
    const steer = waiting.next('steering')
    const more = steer ?? (steps.length === 0 ? waiting.next('followUp') : undefined)
    if (more) {
      heard.push(more)
      steps = steer ? options.steered(more) : options.stepsFor(more)
    }
    const [step, ...rest] = steps
    steps = rest
    return step
  }

  for (let step = next(); step !== undefined; step = next()) {
    if (step === 'replay') {
      await replay(stage)
      continue
    }
    stage.tell({ type: 'turn_start' })
    for (const said of heard.splice(0)) hear(stage, said)
    const { messageId, results: last } = await playStep(stage, step, results)
    results = last
    if (step.failure === undefined) retries.worked()
    else if (!(await retries.again(step.failure, messageId))) {
      failure = step.failure.message
      break
    }
  }
  stage.tell(stage.account.report())
  if (failure === undefined) stage.tell({ type: 'agent_end', stopReason: 'stop' })
  else stage.tell({ type: 'agent_end', stopReason: 'error', errorMessage: failure })
}

const playStep = async (stage: Stage, step: Spoken, before: readonly Result[]) => {
  const { thinking, failure } = step
  const calls = (step.calls ?? []).map((call) => ({ ...call, id: stage.newId('call') }))
  const messageId = await speak(stage, {
    text: typeof step.text === 'string' ? step.text : step.text(before),
    calls,
    ...(thinking !== undefined && { thinking }),
    ...(failure && { failure }),
  })
  const results = await playCalls(stage, calls)
  stage.tell({ type: 'turn_end', stopReason: stopReasonOf({ calls, ...(failure && { failure }) }) })
  return { messageId, results }
}

/** Retries of a call that is pretended to have failed. */
const createRetries = ({ tell, pace, signal }: Stage) => {
  let attempt = 0
  return {
    /** Takes back what the failed call had said, and waits; false when it is not tried again. */
    async again(failure: NonNullable<Spoken['failure']>, messageId: string): Promise<boolean> {
      const { message: reason, retryAfter } = failure
      if (retryAfter === undefined) return false
      attempt += 1
      const delayMs = pace * retryAfter
      tell({ type: 'auto_retry_start', attempt, delayMs, reason, maxAttempts: 3 })
      tell({ type: 'message_withdrawn', messageId, reason: 'retried' })
      try {
        await pause(delayMs, signal)
      } catch (cause) {
        tell({ type: 'auto_retry_end', success: false, attempt, finalError: 'Stopped.' })
        throw cause
      }
      return true
    },
    worked(): void {
      if (attempt > 0) tell({ type: 'auto_retry_end', success: true, attempt })
      attempt = 0
    },
  }
}
