import { useMemo } from 'react'
import { useApp } from '../app/use-app.ts'
import { Composer } from '../composer/composer.tsx'
import { useStore } from '../lib/use-store.ts'
import { Link } from '../parts/link.tsx'
import type { EventLog } from '../replay/event-log.ts'
import type { TimeTravel } from '../replay/replay.ts'
import { Scrubber } from '../replay/replay-bar.tsx'
import { Waiting } from './pending-approvals.tsx'
import { SessionProvider, useSession } from './session-scope.ts'
import { nowOf } from './shown.ts'

interface Props {
  travel: TimeTravel
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
        <Waiting />
      </SessionProvider>
      {isPast ? <Scrubber travel={travel} log={log} /> : <Composer id={scope.id} />}
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
