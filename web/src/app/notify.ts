import { revealedString, revealText } from '../../../src/shared/revealed-text.ts'
import { sessionPath } from '../state/route.ts'
import type { AppState } from './app-state.ts'

interface NotificationContent {
  title: string
  body: string
  /** Every tab creates the notification; the browser shows one per tag. */
  tag: string
  /** The session that a click opens. */
  sessionId: string
}

/** Shows a browser notification, if the user has allowed them. */
export const notify = (app: AppState, content: NotificationContent): void => {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  try {
    const notification = new Notification(revealed(content.title), {
      body: revealed(content.body),
      tag: content.tag,
    })
    notification.addEventListener('click', () => {
      window.focus()
      app.routes.go(sessionPath(content.sessionId))
    })
  } catch {
    // Some phones allow notifications only from a service worker.
  }
}

/** A text with its hidden characters as escapes. */
export const revealed = (text: string): string => revealedString(revealText(text).parts)
