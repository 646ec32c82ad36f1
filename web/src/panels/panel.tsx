import { useApp } from '../app/use-app.ts'
import { ErrorBoundary } from '../parts/error-boundary.tsx'
import { Icon } from '../parts/icon.tsx'
import type { EventLog } from '../replay/event-log.ts'
import { useSession } from '../session/session-scope.ts'
import type { PanelName } from '../state/prefs.ts'
import { ChangesPanel } from './changes-panel.tsx'
import { EventsPanel } from './events-panel.tsx'
import { RulesPanel } from './rules-panel.tsx'
import { UsagePanel } from './usage-panel.tsx'
import '../style/panel.css'

interface Props {
  name: PanelName
  log: EventLog
}

const titles: Record<PanelName, string> = {
  changes: 'Changes in the last run',
  usage: 'Usage',
  events: 'Events',
  rules: 'Rules for approvals',
}

/** A panel beside the conversation. */
export const Panel = ({ name, log }: Props) => {
  const { panel } = useApp().prefs
  const { id } = useSession()
  const close = () => {
    // The close button is removed, so the focus moves to the button that opened the panel.
    document.querySelector<HTMLElement>('.panel-buttons [aria-pressed=true]')?.focus()
    panel.set(null)
  }
  return (
    <aside className="panel" aria-label={titles[name]}>
      <header>
        <h2>{titles[name]}</h2>
        <button type="button" className="quiet-button" aria-label="Close panel" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <ErrorBoundary
        subject={name}
        fallback={<p className="panel-failed">This panel cannot be shown.</p>}
      >
        {name === 'changes' && <ChangesPanel id={id} />}
        {name === 'usage' && <UsagePanel id={id} />}
        {name === 'events' && <EventsPanel id={id} log={log} />}
        {name === 'rules' && <RulesPanel id={id} />}
      </ErrorBoundary>
    </aside>
  )
}
