import type { Activity, SessionInfo } from '../../../src/api/index.ts'
import { ActivityLabel, DamagedLabel } from '../parts/activity-label.tsx'

interface Props {
  /** Absent in a replay: then only the activity counts. */
  session: SessionInfo | undefined
  /** What the transcript shows, where it is newer than the list. */
  activity?: Activity | undefined
}

/** What a session does: what its events say, and for a watched session also its agent’s process. */
export const SessionActivity = ({
  session,
  activity = session && listedActivity(session),
}: Props) => {
  const { presence } = session?.watched ?? {}
  if (session?.damage) return <DamagedLabel reason={session.damage.reason} />
  if (presence?.state === 'waiting')
    return <OutsideLabel kind="approval" text="Waits in its terminal" title={presence.waitingFor} />
  if (presence?.state === 'gone') return <OutsideLabel kind="idle" text="Ended" />
  if (presence?.state === 'working' && activity?.kind === 'idle')
    return <ActivityLabel activity={{ kind: 'thinking' }} />
  return activity && <ActivityLabel activity={activity} />
}

/** The activity of a session; derived from its state if the server does not know more. */
const listedActivity = ({ activity, state }: SessionInfo): Activity =>
  activity ?? { kind: state === 'running' ? 'thinking' : 'idle' }

interface LabelProps {
  kind: 'approval' | 'idle'
  text: string
  title?: string | undefined
}

const OutsideLabel = ({ kind, text, title }: LabelProps) => (
  <span className={`activity activity-${kind}`} title={title}>
    <span className="activity-sign" aria-hidden="true" />
    <span className="activity-text">{text}</span>
  </span>
)
