import type { Approval, SessionInfo } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import { sessionPath } from '../state/route.ts'
import type { AppState } from './app-state.ts'

/** Says outside the page what needs a person: in the title of the tab, and as a notification. */
export const showApprovalAlerts = (app: AppState, page: Window): void => {
  let told = new Set<string>()
  const tell = () => {
    const { approvals, sessions } = app.overview.get()
    page.document.title = titleOf(app, approvals.length)
    const fresh = approvals.filter(({ approvalId }) => !told.has(approvalId))
    told = new Set(approvals.map(({ approvalId }) => approvalId))
    if (page.document.hidden) for (const each of fresh) notify(app, each, sessions)
  }
  app.overview.subscribe(tell)
  app.routes.subscribe(tell)
  tell()
}

const titleOf = ({ routes, overview }: AppState, waiting: number): string => {
  const route = routes.get()
  const sessions = overview.get().sessions
  const session = route.page === 'session' && sessions.find(({ id }) => id === route.id)
  const name = session ? `${sessionName(session)} · Sluice` : 'Sluice'
  return waiting === 0 ? name : `(${waiting}) Needs input · ${name}`
}

const needOf = ({ toolName, dialog }: Approval): string =>
  toolName === undefined ? (dialog?.title ?? 'Needs your input') : `Needs approval: ${toolName}`

const notify = (app: AppState, approval: Approval, sessions: readonly SessionInfo[]): void => {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  const session = sessions.find(({ id }) => id === approval.sessionId)
  try {
    const shown = new Notification(session ? sessionName(session) : 'Sluice', {
      body: needOf(approval),
      // Other tabs show the same one: the browser keeps one of each tag.
      tag: approval.approvalId,
    })
    shown.addEventListener('click', () => {
      window.focus()
      app.routes.go(sessionPath(approval.sessionId))
    })
  } catch {
    // Some phones know notifications only from a service worker.
  }
}
