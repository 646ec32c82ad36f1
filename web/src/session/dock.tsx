import { useMemo } from 'react'
import type { SessionInfo } from '../../../src/api/index.ts'
import { TroubleBanner } from '../app/trouble-banner.tsx'
import { useApp } from '../app/use-app.ts'
import { Composer } from '../composer/composer.tsx'
import { useStore } from '../lib/use-store.ts'
import { Link } from '../parts/link.tsx'
import type { EventLog } from '../replay/event-log.ts'
import type { Replay } from '../replay/replay.ts'
import { ReplayBar } from '../replay/replay-bar.tsx'
import { TrustBanner } from '../trust/trust-banner.tsx'
import { BudgetBanner } from './budget-banner.tsx'
import { ContinueBar } from './continue-bar.tsx'
import { PendingApprovals } from './pending-approvals.tsx'
import { liveTranscript, SessionProvider, useSession } from './session-scope.ts'
import '../style/dock.css'

interface Props {
  replay: Replay
  log: EventLog
}

/** The area below the conversation: pending approvals, and the composer or the replay controls. */
export const Dock = ({ replay, log }: Props) => {
  const scope = useSession()
  const { followed, overview } = useApp()
  const session = followed.of(scope.id)
  const listed = useStore(overview).sessions.find(({ id }) => id === scope.id)
  const { isGone } = useStore(session)
  const { isOpen: isReplaying } = useStore(replay)
  // Approvals are pending now, whichever moment the replay shows.
  const liveScope = useMemo(
    () => ({ ...scope, transcript: liveTranscript(session) }),
    [scope, session],
  )
  if (isGone && !isReplaying) return <Deleted />
  if (listed?.damage && !isReplaying) return <Damaged reason={listed.damage.reason} />
  if (listed?.imported && !isReplaying) return <Imported imported={listed.imported} />
  return (
    <div className="dock">
      <SessionProvider value={liveScope}>
        <PendingApprovals />
        {!isReplaying && <BudgetBanner />}
      </SessionProvider>
      {listed?.watched && !isReplaying && <ContinueBar key={scope.id} session={listed} />}
      {!isReplaying && <TroubleBanner />}
      {!isReplaying && !listed?.watched && <TrustBanner sessionId={scope.id} />}
      {isReplaying && <ReplayBar replay={replay} log={log} />}
      {!isReplaying && !listed?.watched && <Composer id={scope.id} />}
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

const Imported = ({ imported }: { imported: NonNullable<SessionInfo['imported']> }) => (
  <div className="dock">
    <p className="imported-banner" role="status">
      <strong>This session is read-only.</strong> It was imported from a file on{' '}
      {new Date(imported.at).toLocaleDateString()}.
      {imported.redacted && ' Keys, tokens, addresses and home paths were hidden in that file.'}
    </p>
  </div>
)

const Damaged = ({ reason }: { reason: string }) => (
  <div className="dock">
    <p className="trouble-banner" role="status">
      <strong>This session is damaged and accepts no messages.</strong> {reason} You can export or
      delete it. To look for more damage, run <code>sluice check</code> on the server.
    </p>
  </div>
)
