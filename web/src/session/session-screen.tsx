import { useEffect, useMemo, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Panel } from '../panels/panel.tsx'
import { StoppedClockProvider } from '../parts/clock.ts'
import { Link } from '../parts/link.tsx'
import { useIsNarrow } from '../parts/use-is-narrow.ts'
import { createEventLog } from '../replay/event-log.ts'
import { createReplay } from '../replay/replay.ts'
import { FindBar } from '../search/find-bar.tsx'
import type { PanelName } from '../state/prefs.ts'
import { Dock } from './dock.tsx'
import { EntryList, type ScrollTarget } from './entry-list.tsx'
import { NeedsElsewhere } from './needs-elsewhere.tsx'
import { SessionHeader } from './session-header.tsx'
import { SessionProvider, shownTranscript } from './session-scope.ts'
import { Sidebar } from './sidebar.tsx'
import '../style/session.css'

interface Props {
  id: string
  /** The message that the address links to. */
  messageId?: string
}

/** One session: its conversation, the composer, and the panels beside it. */
export const SessionScreen = ({ id, messageId }: Props) => {
  const { client, followed, prefs, access } = useApp()
  const session = followed.of(id)
  const { isGone, transcript } = useStore(session)
  const panel = useStore(prefs.panel)
  const layout = useStore(prefs.diffLayout)
  const isNarrow = useIsNarrow()
  const [log] = useState(() => createEventLog(client, id))
  const [replay] = useState(() => createReplay(log))
  const scope = useMemo(
    () => ({ id, transcript: shownTranscript(session, replay) }),
    [id, session, replay],
  )
  const { isOpen: isReplaying, at } = useStore(replay)
  const [isFinding, setFinding] = useFindKey()
  const [found, setFound] = useState<ScrollTarget>()
  const linked = useMemo(
    () => (messageId === undefined ? undefined : { key: `m-${messageId}` }),
    [messageId],
  )
  useEffect(() => access.load(), [access])
  useEffect(() => followed.follow(id), [followed, id])
  useEffect(() => replay.close, [replay])

  const closeFind = () => {
    setFinding(false)
    setFound(undefined)
  }
  if (isGone && !transcript) return <NotFound />
  return (
    <SessionProvider value={scope}>
      <div className={classOf(panel, layout === 'split')}>
        <Sidebar currentId={id} />
        <main className="session-main">
          <StoppedClockProvider value={at}>
            <SessionHeader
              id={id}
              replay={replay}
              onFind={() => setFinding(!isFinding)}
              onReplay={() => void replay.open()}
            />
          </StoppedClockProvider>
          {isNarrow && <NeedsElsewhere currentId={id} />}
          {isFinding && <FindBar onFound={setFound} onClose={closeFind} />}
          <div className="conversation">
            <StoppedClockProvider value={at}>
              {/* A new list on every switch, so that it starts at its end. */}
              <EntryList key={isReplaying ? 'replay' : 'live'} target={found ?? linked} />
            </StoppedClockProvider>
            {/* Over the conversation only: what needs an answer stays in reach below it. */}
            {panel && isNarrow && <Panel name={panel} log={log} replay={replay} />}
          </div>
          <Dock replay={replay} log={log} />
        </main>
        {panel && !isNarrow && <Panel name={panel} log={log} replay={replay} />}
      </div>
    </SessionProvider>
  )
}

/** Whether the find bar is open. Ctrl+F or Cmd+F opens it. */
const useFindKey = () => {
  const [isFinding, setFinding] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const isFind = event.key === 'f' && (event.metaKey || event.ctrlKey) && !event.shiftKey
      // The browser finds only rendered rows. Pressed again, the key opens the browser's own search.
      if (!isFind || isFinding) return
      event.preventDefault()
      setFinding(true)
    }
    document.addEventListener('keydown', open)
    return () => document.removeEventListener('keydown', open)
  }, [isFinding])
  return [isFinding, setFinding] as const
}

/** Two columns of code need more room than one. */
const classOf = (panel: PanelName | null, isSplit: boolean): string => {
  if (!panel) return 'session'
  return `session session-with-panel${panel === 'changes' && isSplit ? ' session-wide-panel' : ''}`
}

const NotFound = () => (
  <main className="empty-page">
    <h1>Session not found</h1>
    <p>It may have been deleted.</p>
    <p>
      <Link to="/">All sessions</Link>
    </p>
  </main>
)
