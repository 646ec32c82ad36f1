import { sessionName } from '../../../src/client/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Link } from '../parts/link.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { sessionPath } from '../state/route.ts'

/** Leads to the session that has waited longest for the person, if it is not the open one. */
export const NeedsElsewhere = ({ currentId }: { currentId: string }) => {
  const { sessions, approvals } = useStore(useApp().overview)
  const waiting = approvals.filter(({ sessionId }) => sessionId !== currentId)
  const [oldest] = waiting
  if (!oldest) return null
  const session = sessions.find(({ id }) => id === oldest.sessionId)
  const others = new Set(waiting.map(({ sessionId }) => sessionId)).size
  return (
    <Link to={sessionPath(oldest.sessionId)} className="needs-elsewhere">
      {others === 1 ? 'Another session needs you' : `${others} other sessions need you`}
      {session && (
        <span className="needs-name" dir="auto">
          <Revealed text={sessionName(session)} />
        </span>
      )}
    </Link>
  )
}
