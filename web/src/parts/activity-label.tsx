import type { Activity } from '../../../src/api/index.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import { Elapsed } from './relative-time.tsx'

/** What a session is doing, in words. */
const activityText = ({ kind, toolName }: Activity): string => {
  switch (kind) {
    case 'idle':
      return 'Idle'
    case 'thinking':
      return 'Thinking'
    case 'tool':
      return toolName === undefined ? 'Running a tool' : `Running ${toolName}`
    case 'approval':
      if (toolName === 'AskUserQuestion') return 'Has a question'
      return toolName === undefined ? 'Needs your input' : `Needs approval: ${toolName}`
    case 'retrying':
      return 'Retrying'
    case 'compacting':
      return 'Compacting'
    case 'failed':
      return 'Failed'
  }
}

/** The same as a label whose form says it from afar. Off-line, nobody knows whether it still is so. */
export const ActivityLabel = ({ activity }: { activity: Activity }) => {
  const { kind, since, detail } = activity
  const isGoingOn = kind !== 'idle' && kind !== 'failed'
  const isStale = useIsOffline() && isGoingOn
  return (
    <span className={`activity activity-${isStale ? 'stale' : kind}`} title={detail}>
      <span className="activity-sign" aria-hidden="true" />
      <span className="activity-text">
        {isStale ? wordsWhenLastSeen(activity) : activityText(activity)}
      </span>
      {since !== undefined && isGoingOn && !isStale && <Elapsed since={since} />}
    </span>
  )
}

const wordsWhenLastSeen = (activity: Activity): string => {
  if (activity.kind === 'approval') return 'Was waiting for you'
  const words = activityText(activity)
  return `Was ${words.charAt(0).toLowerCase()}${words.slice(1)}`
}
