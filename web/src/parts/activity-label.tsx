import type { Activity } from '../../../src/api/index.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import { Elapsed } from './relative-time.tsx'
import { Revealed } from './revealed.tsx'

const activityText = ({ kind, toolName, approvalKind }: Activity): string => {
  switch (kind) {
    case 'idle':
      return 'Idle'
    case 'starting':
      return 'Starting'
    case 'thinking':
      return 'Thinking'
    case 'writing':
      return 'Writing'
    case 'tool':
      return toolName === undefined ? 'Running a tool' : `Running ${toolName}`
    case 'approval':
      if (approvalKind === 'question') return 'Has a question'
      if (approvalKind === 'plan') return 'Needs approval: plan'
      if (approvalKind === 'budget') return 'Budget reached'
      return toolName === undefined ? 'Needs your input' : `Needs approval: ${toolName}`
    case 'retrying':
      return 'Retrying'
    case 'compacting':
      return 'Compacting'
    case 'failed':
      return 'Failed'
  }
}

/** What a session is doing, with a coloured sign. Offline, it says what the session was doing. */
export const ActivityLabel = ({ activity }: { activity: Activity }) => {
  const { kind, since, detail } = activity
  const isOngoing = kind !== 'idle' && kind !== 'failed'
  const isStale = useIsOffline() && isOngoing
  return (
    <span className={`activity activity-${isStale ? 'stale' : kind}`} title={detail}>
      <span className="activity-sign" aria-hidden="true" />
      <span className="activity-text">
        <Revealed text={isStale ? lastKnownText(activity) : activityText(activity)} />
      </span>
      {since !== undefined && isOngoing && !isStale && <Elapsed since={since} />}
    </span>
  )
}

/** A damaged session does nothing any more, whatever its last readable event says. */
export const DamagedLabel = ({ reason }: { reason: string }) => (
  <span className="activity activity-failed" title={reason}>
    <span className="activity-sign" aria-hidden="true" />
    <span className="activity-text">Damaged</span>
  </span>
)

const lastKnownText = (activity: Activity): string => {
  if (activity.kind === 'approval') return 'Was waiting for you'
  const text = activityText(activity)
  return `Was ${text.charAt(0).toLowerCase()}${text.slice(1)}`
}
