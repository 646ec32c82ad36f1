import { useEffect, useMemo, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Panel } from '../panels/panel.tsx'
import { StoppedClockProvider } from '../parts/clock.ts'
import { Link } from '../parts/link.tsx'
import { createEventLog } from '../replay/event-log.ts'
import { createReplay } from '../replay/replay.ts'
import { FindBar } from '../search/find-bar.tsx'
import type { PanelName } from '../state/prefs.ts'
import { Dock } from './dock.tsx'
import { EntryList, type ScrollTarget } from './entry-list.tsx'
import { SessionHeader } from './session-header.tsx'
import { SessionProvider } from './session-scope.ts'
import { shownOf } from './shown.ts'
import { Sidebar } from './sidebar.tsx'
import '../style/session.css'

interface Props {
  id: string
  /** A message that a link leads to. */
  messageId?: string
}

/** One session: its conversation, and the means to drive it. */
export const SessionScreen = ({ id, messageId }: Props) => {
  const { client, followed, prefs } = useApp()
  const session = followed.of(id)
  const { isGone, transcript } = useStore(session)
  const panel = useStore(prefs.panel)
  const layout = useStore(prefs.diffLayout)
  const [log] = useState(() => createEventLog(client, id))
  const [travel] = useState(() => createReplay(log))
  const scope = useMemo(
    () => ({
      id,
      transcript: shownOf(session, travel),
      replayBefore: (seq: number) => void travel.open(seq),
    }),
    [id, session, travel],
  )
  const { isOpen: isPast, at } = useStore(travel)
  const [isFinding, setFinding] = useState(false)
  const [found, setFound] = useState<ScrollTarget>()
  const linked = useMemo(
    () => (messageId === undefined ? undefined : { key: `m-${messageId}` }),
    [messageId],
  )

  useEffect(() => followed.follow(id), [followed, id])
  useEffect(() => travel.close, [travel])
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const isFind = event.key === 'f' && (event.metaKey || event.ctrlKey) && !event.shiftKey
      // The browser finds only what is on the screen. Asked twice, it may have its way.
      if (!isFind || isFinding) return
      event.preventDefault()
      setFinding(true)
    }
    document.addEventListener('keydown', open)
    return () => document.removeEventListener('keydown', open)
  }, [isFinding])

  if (isGone && !transcript) return <Missing />
  return (
    <SessionProvider value={scope}>
      <div className={classOf(panel, layout === 'split')}>
        <Sidebar currentId={id} />
        <main className="session-main">
          <SessionHeader
            id={id}
            onFind={() => setFinding(!isFinding)}
            onPast={() => void travel.open()}
          />
          {isFinding && (
            <FindBar
              onFound={setFound}
              onClose={() => {
                setFinding(false)
                setFound(undefined)
              }}
            />
          )}
          <StoppedClockProvider value={at}>
            {/* Another time begins at its end, wherever the reader was in the other. */}
            <EntryList key={isPast ? 'past' : 'now'} target={found ?? linked} />
          </StoppedClockProvider>
          <Dock travel={travel} log={log} />
        </main>
        {panel && <Panel name={panel} log={log} />}
      </div>
    </SessionProvider>
  )
}

/** Two columns of code need more room than one. */
const classOf = (panel: PanelName | null, isSplit: boolean): string => {
  if (!panel) return 'session'
  return `session session-with-panel${panel === 'changes' && isSplit ? ' session-wide-panel' : ''}`
}

const Missing = () => (
  <main className="empty-page">
    <h1>Session not found</h1>
    <p>It may have been deleted.</p>
    <p>
      <Link to="/">All sessions</Link>
    </p>
  </main>
)
