import type { Approval, SessionInfo } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import { revealedString, revealText } from '../../../src/shared/revealed-text.ts'
import { sessionPath } from '../state/route.ts'
import type { AppState } from './app-state.ts'

/** Shows pending approvals outside the page: in the tab's title, and as browser notifications. */
export const showApprovalAlerts = (app: AppState, page: Window): void => {
  let seen = new Set<string>()
  const update = () => {
    const { approvals, sessions } = app.overview.get()
    page.document.title = titleOf(app, approvals.length)
    const added = approvals.filter(({ approvalId }) => !seen.has(approvalId))
    seen = new Set(approvals.map(({ approvalId }) => approvalId))
    if (page.document.hidden) for (const approval of added) notify(app, approval, sessions)
  }
  app.overview.subscribe(update)
  app.routes.subscribe(update)
  update()
}

const titleOf = ({ routes, overview }: AppState, pending: number): string => {
  const route = routes.get()
  const sessions = overview.get().sessions
  const session = route.page === 'session' && sessions.find(({ id }) => id === route.id)
  const name = session ? `${revealed(sessionName(session))} · Sluice` : 'Sluice'
  return pending === 0 ? name : `(${pending}) Needs input · ${name}`
}

const notify = (app: AppState, approval: Approval, sessions: readonly SessionInfo[]): void => {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  const session = sessions.find(({ id }) => id === approval.sessionId)
  try {
    const notification = new Notification(revealed(session ? sessionName(session) : 'Sluice'), {
      body: revealed(bodyOf(approval)),
      // Every tab creates this notification; the browser shows one per tag.
      tag: approval.approvalId,
    })
    notification.addEventListener('click', () => {
      window.focus()
      app.routes.go(sessionPath(approval.sessionId))
    })
  } catch {
    // Some phones allow notifications only from a service worker.
  }
}

const revealed = (text: string): string => revealedString(revealText(text).parts)

const bodyOf = ({ kind, dialog, questions, toolName }: Approval): string => {
  if (kind === 'question') return dialog?.title ?? questions?.[0]?.question ?? 'Has a question'
  if (kind === 'plan') return 'Needs approval: plan'
  return toolName === undefined ? 'Needs your input' : `Needs approval: ${toolName}`
}
