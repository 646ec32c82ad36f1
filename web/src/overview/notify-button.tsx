import { useState } from 'react'
import { Icon } from '../parts/icon.tsx'

/** Asks the browser for permission to show notifications; hidden once that is decided. */
export const NotifyButton = () => {
  const [permission, setPermission] = useState(() =>
    'Notification' in globalThis ? Notification.permission : 'denied',
  )
  if (permission !== 'default') return null
  const request = () => {
    Notification.requestPermission().then(setPermission, () => setPermission('denied'))
  }
  return (
    <button type="button" className="quiet-button" onClick={request}>
      <Icon name="bell" />
      Notify me
    </button>
  )
}
