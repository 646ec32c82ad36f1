import { useState } from 'react'
import { Icon } from '../parts/icon.tsx'

/** Asks once whether the browser may say what needs a person; gone when that is decided. */
export const NotifyButton = () => {
  const [permission, setPermission] = useState(() =>
    'Notification' in globalThis ? Notification.permission : 'denied',
  )
  if (permission !== 'default') return null
  const ask = () => {
    Notification.requestPermission().then(setPermission, () => setPermission('denied'))
  }
  return (
    <button type="button" className="quiet-button" onClick={ask}>
      <Icon name="bell" />
      Notify me
    </button>
  )
}
