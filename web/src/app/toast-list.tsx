import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { useApp } from './use-app.ts'

/** Short messages that disappear after a few seconds. */
export const ToastList = () => {
  const { toasts } = useApp()
  const shown = useStore(toasts)
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, text, isError, undo }) => (
        <div key={id} className={isError ? 'toast toast-error' : 'toast'}>
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              onClick={() => {
                undo()
                toasts.dismiss(id)
              }}
            >
              Undo
            </button>
          )}
          <button
            type="button"
            className="quiet-button"
            aria-label="Dismiss"
            onClick={() => toasts.dismiss(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
