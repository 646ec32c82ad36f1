import type { SessionInfo } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import { shortened } from '../../../src/shared/shortened.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Link } from '../parts/link.tsx'
import { sessionPath } from '../state/route.ts'

/** Links to the session that this one continues, and to those that continue this one. */
export const ForkLinks = ({ session }: { session: SessionInfo }) => {
  const { sessions } = useStore(useApp().overview)
  const { id, forkedFrom, forkedBefore } = session
  const source = sessions.find((each) => each.id === forkedFrom)
  const forks = sessions.filter((each) => each.forkedFrom === id)
  const from = forkedBefore === undefined ? 'Fork of' : 'Fork of an earlier point of'
  return (
    <>
      {forkedFrom !== undefined && !source && <span>Fork of a deleted session</span>}
      {source && (
        <Link to={sessionPath(source.id, forkedBefore)} className="session-loop">
          {from} <bdi>{shortName(source)}</bdi>
        </Link>
      )}
      {forks.slice(0, shownForks).map((fork) => (
        <Link key={fork.id} to={sessionPath(fork.id)} className="session-loop">
          Forked: <bdi>{shortName(fork)}</bdi>
        </Link>
      ))}
      {forks.length > shownForks && <span>and {forks.length - shownForks} more forks</span>}
    </>
  )
}

/** How many forks the header of a session names. */
const shownForks = 3

const shortName = (session: SessionInfo): string => shortened(sessionName(session), 32)
