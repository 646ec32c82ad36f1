declare global {
  interface Window {
    notifications?: Notification[]
    /** Whether the page is hidden; a headless browser never reports that itself. */
    isPageHidden?: boolean
  }
}

/** Records every notification of the page, and lets the test hide the page. */
export const watchNotifications = () => {
  const created: Notification[] = []
  window.notifications = created
  window.Notification = class extends Notification {
    constructor(title: string, options?: NotificationOptions) {
      super(title, options)
      created.push(this)
    }
  }
  // A headless Chromium reports `denied`, whatever was granted.
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
  Object.defineProperty(document, 'hidden', { get: () => window.isPageHidden === true })
}
