import type { Approval, SessionInfo } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import type { AppState } from './app-state.ts'
import { notify, revealed } from './notify.ts'

/** Shows pending approvals outside the page: in the tab's title, and as browser notifications. */
export const showApprovalAlerts = (app: AppState, page: Window): void => {
  let seen = new Set<string>()
  const update = () => {
    const { approvals, sessions } = app.overview.get()
    page.document.title = titleOf(app, approvals.length)
    const added = approvals.filter(({ approvalId }) => !seen.has(approvalId))
    seen = new Set(approvals.map(({ approvalId }) => approvalId))
    if (page.document.hidden)
      for (const approval of added) notify(app, contentOf(approval, sessions))
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

const contentOf = (approval: Approval, sessions: readonly SessionInfo[]) => {
  const { approvalId, sessionId } = approval
  const session = sessions.find(({ id }) => id === sessionId)
  const title = session ? sessionName(session) : 'Sluice'
  return { title, body: bodyOf(approval), tag: approvalId, sessionId }
}

const bodyOf = ({ kind, dialog, questions, toolName }: Approval): string => {
  if (kind === 'question') return dialog?.title ?? questions?.[0]?.question ?? 'Has a question'
  if (kind === 'plan') return 'Needs approval: plan'
  if (kind === 'budget') return 'Budget reached: the agent is paused'
  return toolName === undefined ? 'Needs your input' : `Needs approval: ${toolName}`
}
