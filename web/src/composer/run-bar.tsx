import { activityOf } from '../../../src/client/index.ts'
import type { Retry } from '../../../src/events/types.ts'
import { at, type Transcript, threadOf } from '../../../src/transcript/index.ts'
import { useApp } from '../app/use-app.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import { useStore } from '../lib/use-store.ts'
import { ActivityLabel } from '../parts/activity-label.tsx'
import { Countdown } from '../parts/countdown.tsx'
import { StopButton } from './stop-button.tsx'

/** What the agent is doing, for as long as it does something; and the way to end it. */
export const RunBar = ({ id }: { id: string }) => {
  const { followed } = useApp()
  const { transcript } = useStore(followed.of(id))
  if (!transcript) return null
  const { isStreaming, compaction, retry, status } = transcript
  if (!isStreaming && !compaction && !retry) return <Ended transcript={transcript} />
  return (
    <div className="run-bar">
      <Doing transcript={transcript} />
      <StopButton id={id} stage={status} />
    </div>
  )
}

const Doing = ({ transcript }: { transcript: Transcript }) => {
  const { compaction, retry } = transcript
  if (useIsOffline()) return <ActivityLabel activity={activityOf(transcript)} />
  if (retry) return <RetryWords retry={retry} />
  if (compaction)
    return (
      <span className="run-words">
        <span className="spinner" aria-hidden="true" /> Compacting context…
      </span>
    )
  if (transcript.approvals.length > 0) return <span className="run-words">Waiting for you</span>
  return <ActivityLabel activity={activityOf(transcript)} />
}

const RetryWords = ({ retry }: { retry: Retry }) => {
  const { attempt, maxAttempts, delayMs, reason, startedAt } = retry
  const number = maxAttempts === undefined ? `${attempt}` : `${attempt} of ${maxAttempts}`
  return (
    <span className="run-words run-retry">
      <span>
        Retrying in <Countdown until={(startedAt ?? Date.now()) + delayMs} /> (attempt {number})
      </span>
      <span className="run-reason">{reason}</span>
    </span>
  )
}

/** Whether the conversation itself says why. */
const isSaid = (transcript: Transcript): boolean => {
  const { errorMessage } = transcript.outcome ?? {}
  const entries = threadOf(transcript)?.entries
  const last = entries && at(entries, entries.length - 1)
  return (
    errorMessage === undefined ||
    (last?.kind === 'message' && last.message.errorMessage !== undefined)
  )
}

/** How the last run ended, where that was not well. */
const Ended = ({ transcript }: { transcript: Transcript }) => {
  const { outcome } = transcript
  if (!outcome) return null
  const { stopReason, errorMessage, interrupted } = outcome
  if (interrupted)
    return <p className="run-ended">The agent was interrupted. Send a message to continue.</p>
  if (stopReason !== 'error') return null
  return (
    <p className="run-ended run-failed">
      The run failed{isSaid(transcript) ? '.' : `: ${errorMessage}`}
    </p>
  )
}
