import { useMemo } from 'react'
import { useApp } from '../app/use-app.ts'
import { Composer } from '../composer/composer.tsx'
import { useStore } from '../lib/use-store.ts'
import { Link } from '../parts/link.tsx'
import type { EventLog } from '../replay/event-log.ts'
import type { Replay } from '../replay/replay.ts'
import { ReplayBar } from '../replay/replay-bar.tsx'
import { PendingApprovals } from './pending-approvals.tsx'
import { SessionProvider, useSession } from './session-scope.ts'
import { nowOf } from './shown.ts'

interface Props {
  travel: Replay
  log: EventLog
}

/** What can be done with a session, below its conversation. */
export const Dock = ({ travel, log }: Props) => {
  const scope = useSession()
  const session = useApp().followed.of(scope.id)
  const { isGone } = useStore(session)
  const { isOpen: isPast } = useStore(travel)
  // Who is needed is needed now, whatever moment is looked at.
  const now = useMemo(() => ({ ...scope, transcript: nowOf(session) }), [scope, session])
  if (isGone && !isPast) return <Deleted />
  return (
    <div className="dock">
      <SessionProvider value={now}>
        <PendingApprovals />
      </SessionProvider>
      {isPast ? <ReplayBar travel={travel} log={log} /> : <Composer id={scope.id} />}
    </div>
  )
}

const Deleted = () => (
  <div className="dock">
    <p className="session-deleted" role="status">
      This session was deleted. <Link to="/">All sessions</Link>
    </p>
  </div>
)
