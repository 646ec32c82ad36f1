import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { StoppedClockProvider } from '../parts/clock.ts'
import { ErrorBoundary } from '../parts/error-boundary.tsx'
import { formatTime } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import type { EventLog } from '../replay/event-log.ts'
import type { Replay } from '../replay/replay.ts'
import { useSession } from '../session/session-scope.ts'
import type { PanelName } from '../state/prefs.ts'
import { ChangesPanel } from './changes-panel.tsx'
import { EventsPanel } from './events-panel.tsx'
import { PastChangesPanel } from './past-changes-panel.tsx'
import { RulesPanel } from './rules-panel.tsx'
import { UsagePanel } from './usage-panel.tsx'
import '../style/panel.css'

interface Props {
  name: PanelName
  log: EventLog
  replay: Replay
}

const titles: Record<PanelName, string> = {
  changes: 'Changes in the last run',
  usage: 'Usage',
  events: 'Events',
  rules: 'Rules for approvals',
}

/** A panel beside the conversation. In a replay, it shows the same moment. */
export const Panel = ({ name, log, replay }: Props) => {
  const { panel } = useApp().prefs
  const { id } = useSession()
  const { transcript: past, position, at } = useStore(replay)
  const title = past && name === 'changes' ? 'Changes up to this moment' : titles[name]
  const close = () => {
    // The close button is removed, so the focus moves to the button that opened the panel.
    document.querySelector<HTMLElement>('.panel-buttons [aria-pressed=true]')?.focus()
    panel.set(null)
  }
  return (
    <aside className="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="quiet-button" aria-label="Close panel" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {past && (
        <p className="panel-moment">
          {name === 'rules' ? 'As they are now.' : momentOf(at, position)}
        </p>
      )}
      <ErrorBoundary
        subject={name}
        fallback={<p className="panel-failed">This panel cannot be shown.</p>}
      >
        <StoppedClockProvider value={at}>
          {name === 'changes' && !past && <ChangesPanel id={id} />}
          {name === 'changes' && past && <PastChangesPanel log={log} position={position} />}
          {name === 'usage' && <UsagePanel id={id} {...(past && { before: at ?? 0 })} />}
          {name === 'events' && <EventsPanel id={id} log={log} {...(past && { position })} />}
        </StoppedClockProvider>
        {name === 'rules' && <RulesPanel id={id} />}
      </ErrorBoundary>
    </aside>
  )
}

const momentOf = (at: number | undefined, position: number): string =>
  at === undefined || position === 0
    ? 'Before the first event.'
    : `As it was at ${formatTime(at, Date.now())}.`
