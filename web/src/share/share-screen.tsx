import { useEffect, useMemo, useState } from 'react'
import { ToastList } from '../app/toast-list.tsx'
import { createStore } from '../lib/store.ts'
import { useStore } from '../lib/use-store.ts'
import { StoppedClockProvider } from '../parts/clock.ts'
import { formatCost, formatTime, provenanceSign } from '../parts/format.ts'
import { Revealed } from '../parts/revealed.tsx'
import type { EventLog } from '../replay/event-log.ts'
import { createReplay, type Replay } from '../replay/replay.ts'
import { ReplayBar } from '../replay/replay-bar.tsx'
import { EntryList } from '../session/entry-list.tsx'
import { SessionProvider } from '../session/session-scope.ts'
import type { SharedSession } from './shared-session.ts'
import '../style/session.css'
import '../style/dock.css'
import '../style/share.css'

/** A session that came with the page: its conversation, and the controls to replay it. */
export const ShareScreen = ({ session }: { session: SharedSession }) => {
  const [log] = useState(() => createLoadedLog(session))
  const [replay] = useState(() => createReplay(log))
  const { at } = useStore(replay)
  const scope = useMemo(
    () => ({
      id: session.id,
      transcript: { get: () => replay.get().transcript, subscribe: replay.subscribe },
    }),
    [session.id, replay],
  )
  useEffect(() => void replay.open(), [replay])
  return (
    <SessionProvider value={scope}>
      <main className="session-main share">
        <ShareHeader session={session} replay={replay} />
        <div className="conversation">
          <StoppedClockProvider value={at}>
            <EntryList />
          </StoppedClockProvider>
        </div>
        <div className="dock">
          <ReplayBar replay={replay} log={log} isAlone />
        </div>
        <ToastList />
      </main>
    </SessionProvider>
  )
}

const ShareHeader = ({ session, replay }: { session: SharedSession; replay: Replay }) => {
  const { transcript } = useStore(replay)
  const totals = transcript?.totals
  return (
    <header className="session-header">
      <div className="session-title">
        <h1 dir="auto">
          <Revealed text={session.name} />
        </h1>
        <p className="session-about">
          <span>{session.agent}</span>
          <span>{transcript?.model ?? session.model}</span>
          {totals && totals.costUsd !== null && (
            <span className="number" title={`Cost (${totals.provenance.cost})`}>
              {provenanceSign(totals.provenance.cost)}
              {formatCost(totals.costUsd)}
            </span>
          )}
          <span className="only-wide">Saved {formatTime(session.exportedAt, Date.now())}</span>
          {session.isRedacted && (
            <span title="Keys, tokens, addresses, home paths and images are hidden.">Redacted</span>
          )}
        </p>
      </div>
    </header>
  )
}

/** All events are here already. */
const createLoadedLog = ({ events }: SharedSession): EventLog => ({
  ...createStore({ events, head: events.length, isLoading: false }),
  load: async () => {},
})
