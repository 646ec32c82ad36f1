import type { Activity } from '../../../src/api/index.ts'
import { Elapsed } from './elapsed.tsx'

/** What a session is doing, in words. */
export const activityWords = ({ kind, toolName }: Activity): string => {
  switch (kind) {
    case 'idle':
      return 'Idle'
    case 'thinking':
      return 'Thinking'
    case 'tool':
      return toolName === undefined ? 'Running a tool' : `Running ${toolName}`
    case 'approval':
      if (toolName === 'AskUserQuestion') return 'Asks you'
      return toolName === undefined ? 'Needs you' : `Needs you: ${toolName}`
    case 'retrying':
      return 'Retrying'
    case 'compacting':
      return 'Compacting'
    case 'failed':
      return 'Failed'
  }
}

/** The same as a label whose form says it from afar. */
export const ActivityLabel = ({ activity }: { activity: Activity }) => {
  const { kind, since, detail } = activity
  return (
    <span className={`activity activity-${kind}`} title={detail}>
      <span className="activity-sign" aria-hidden="true" />
      <span className="activity-words">{activityWords(activity)}</span>
      {since !== undefined && kind !== 'idle' && kind !== 'failed' && <Elapsed since={since} />}
    </span>
  )
}
