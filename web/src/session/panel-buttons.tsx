import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import type { PanelName } from '../state/prefs.ts'

const panels: readonly { name: PanelName; label: string }[] = [
  { name: 'changes', label: 'Changes' },
  { name: 'usage', label: 'Usage' },
  { name: 'events', label: 'Events' },
  { name: 'rules', label: 'Rules' },
]

/** Opens and closes the panels beside the conversation. */
export const PanelButtons = () => {
  const { panel } = useApp().prefs
  const current = useStore(panel)
  return (
    <fieldset className="panel-buttons">
      <legend className="visually-hidden">Panels</legend>
      {panels.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          className="quiet-button"
          aria-pressed={current === name}
          onClick={() => panel.set(current === name ? null : name)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}
