import { activityOf } from '../../../src/api/summary.ts'
import { retryText } from '../../../src/events/retry-reasons.ts'
import type { Retry } from '../../../src/events/types.ts'
import { itemAt, type Transcript, threadOf } from '../../../src/transcript/index.ts'
import { useApp } from '../app/use-app.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import { canRetry } from '../entries/advice.ts'
import { isErrorNotice } from '../entries/is-error-notice.ts'
import { useStore } from '../lib/use-store.ts'
import { ActivityLabel } from '../parts/activity-label.tsx'
import { Countdown } from '../parts/relative-time.tsx'
import { lastPrompt, RetryButton } from './retry-button.tsx'
import { StopButton } from './stop-button.tsx'

/** What the agent is doing, with a button to stop it; between runs, how the last run failed. */
export const RunBar = ({ id }: { id: string }) => {
  const { followed } = useApp()
  const { transcript } = useStore(followed.of(id))
  if (!transcript) return null
  const { isStreaming, compaction, retry, status } = transcript
  if (!isStreaming && !compaction && !retry) return <FailedRun id={id} transcript={transcript} />
  return (
    <div className="run-bar">
      <RunState transcript={transcript} />
      <StopButton id={id} status={status} />
    </div>
  )
}

const RunState = ({ transcript }: { transcript: Transcript }) => {
  const { compaction, retry } = transcript
  if (useIsOffline()) return <ActivityLabel activity={activityOf(transcript)} />
  if (retry) return <RetryState retry={retry} />
  if (compaction)
    return (
      <span className="run-state">
        <span className="spinner" aria-hidden="true" /> Compacting context…
      </span>
    )
  if (transcript.approvals.length > 0) return <span className="run-state">Waiting for you</span>
  return <ActivityLabel activity={activityOf(transcript)} />
}

const RetryState = ({ retry }: { retry: Retry }) => {
  const { attempt, maxAttempts, delayMs, rawReason, startedAt } = retry
  const number = maxAttempts === undefined ? `${attempt}` : `${attempt} of ${maxAttempts}`
  return (
    <span className="run-state run-retry">
      <span>
        Retrying in <Countdown until={(startedAt ?? Date.now()) + delayMs} /> (attempt {number})
      </span>
      <span className="run-reason" title={rawReason}>
        {retryText(retry)}
      </span>
    </span>
  )
}

const FailedRun = ({ id, transcript }: { id: string; transcript: Transcript }) => {
  const { outcome } = transcript
  if (!outcome) return null
  const { stopReason, errorMessage, interrupted } = outcome
  if (interrupted)
    return <p className="run-ended">The agent was interrupted. Send a message to continue.</p>
  if (stopReason !== 'error') return null
  const last = lastPrompt(transcript)
  // The message itself says that it was not delivered, and can be sent again there.
  if (last?.message.delivery === 'failed') return null
  const hasReason = errorMessage !== undefined && !endsWithError(transcript, errorMessage)
  const prompt = canRetry(errorMessage ?? '') ? last : undefined
  return (
    <div className="run-bar">
      <p className="run-ended run-failed">The run failed{hasReason ? `: ${errorMessage}` : '.'}</p>
      {prompt && <RetryButton id={id} message={prompt} />}
    </div>
  )
}

/** Whether the end of the conversation shows the error already. */
const endsWithError = (transcript: Transcript, error: string): boolean => {
  const entries = threadOf(transcript)?.entries
  const last = entries && itemAt(entries, entries.length - 1)
  if (last?.kind === 'message') return last.message.errorMessage !== undefined
  return last !== undefined && isErrorNotice(last, error)
}
