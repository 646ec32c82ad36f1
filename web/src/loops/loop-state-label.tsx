import type { SessionInfo } from '../../../src/api/index.ts'
import type { LoopInfo } from '../../../src/events/index.ts'
import { useApp } from '../app/use-app.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import { useStore } from '../lib/use-store.ts'
import { Countdown } from '../parts/relative-time.tsx'
import { Revealed } from '../parts/revealed.tsx'

/** What a loop is doing, with a coloured sign. */
export const LoopStateLabel = ({ loop }: { loop: LoopInfo }) => {
  const isOffline = useIsOffline() && loop.state !== 'done'
  const waiting = useWaitingIteration(loop)
  const reason = loop.end?.message ?? loop.pauseReason
  const sign = waiting ? 'activity-approval' : signOf(loop)
  return (
    <span className={`activity ${isOffline ? 'activity-stale' : sign}`} title={reason}>
      <span className="activity-sign" aria-hidden="true" />
      <span className="activity-text">
        {waiting ? `Iteration ${waiting.iteration} needs you` : <StateText loop={loop} />}
      </span>
    </span>
  )
}

/** The iteration that waits for a person; undefined if none does. */
export const useWaitingIteration = ({ id, state }: LoopInfo): SessionInfo | undefined => {
  const { sessions } = useStore(useApp().overview)
  if (state !== 'running') return undefined
  return sessions.find(({ loopId, pendingApprovals = 0 }) => loopId === id && pendingApprovals > 0)
}

const StateText = ({ loop }: { loop: LoopInfo }) => {
  const { state, iterationCount, waitsFor, nextAt, pauseRequested, end } = loop
  switch (state) {
    case 'running':
      return pauseRequested
        ? `Pauses after iteration ${iterationCount}`
        : `Iteration ${Math.max(1, iterationCount)} runs`
    case 'waiting':
      return (
        <>
          {waitTexts[waitsFor ?? 'schedule']}
          {nextAt !== undefined && (
            <>
              {' in '}
              <Countdown until={nextAt} />
            </>
          )}
        </>
      )
    case 'paused':
      return 'Paused'
    case 'done':
      return end ? <Revealed text={endTexts[end.reason]} /> : 'Done'
  }
}

const waitTexts = {
  schedule: 'Next iteration',
  rate_limit: 'Rate limit reached: continues',
  retry: 'Failed: tries again',
} as const satisfies Record<NonNullable<LoopInfo['waitsFor']>, string>

/** How a loop ended, in a few words. */
const endTexts = {
  promise: 'Complete',
  max_iterations: 'Ended: limit of iterations',
  max_duration: 'Ended: time limit',
  max_cost: 'Ended: cost limit',
  max_tokens: 'Ended: token limit',
  max_failures: 'Ended: too many failures',
  max_stale: 'Ended: same answer again and again',
  budget: 'Ended: budget used up',
  stopped: 'Stopped',
  failed: 'Failed',
} as const satisfies Record<NonNullable<LoopInfo['end']>['reason'], string>

const signOf = ({ state, end }: LoopInfo): string => {
  if (state === 'running') return 'activity-thinking'
  if (state === 'waiting') return 'activity-retrying'
  if (state === 'paused') return 'activity-paused'
  if (end?.reason === 'promise') return 'activity-complete'
  return end?.reason === 'stopped' ? 'activity-idle' : 'activity-failed'
}
