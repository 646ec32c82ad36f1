import type { SessionInfo } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import type { BudgetUse } from '../../../src/events/index.ts'
import { budgetOwner, budgetText } from '../budgets/describe-budget.ts'
import type { AppState } from './app-state.ts'
import { notify } from './notify.ts'

/**
 * Warns when most of a limit is used: with a toast, or with a browser notification while the page is
 * hidden. When all of it is used, an approval or the end of the run shows that.
 */
export const showBudgetAlerts = (app: AppState, page: Window): void => {
  let seen: ReadonlySet<string> | undefined
  app.overview.subscribe(() => {
    const { isLoaded, sessions } = app.overview.get()
    if (!isLoaded) return
    const all = sessions.flatMap((session) =>
      (session.budgets ?? []).map((budget) => ({ session, budget, key: keyOf(session, budget) })),
    )
    // What the page finds when it opens is no news.
    const before = seen ?? new Set(all.map(({ key }) => key))
    const added = new Map(all.filter(({ key }) => !before.has(key)).map((each) => [each.key, each]))
    seen = new Set([...before, ...added.keys()])
    for (const { session, budget, key } of added.values())
      if (budget.spent < budget.limit) warn(app, page, session, budget, key)
  })
}

/** A limit of a day or a project is the same one in all its sessions. */
const keyOf = ({ id }: SessionInfo, { budgetId, scope, measure, limit }: BudgetUse): string =>
  [scope === 'session' ? id : '', budgetId, measure, limit].join(' ')

const warn = (
  app: AppState,
  page: Window,
  session: SessionInfo,
  budget: BudgetUse,
  key: string,
): void => {
  const text = `${budgetText(budget)} for ${budgetOwner(budget)}`
  if (page.document.hidden)
    notify(app, {
      title: sessionName(session),
      body: `Budget nearly used: ${text}`,
      tag: `budget ${key}`,
      sessionId: session.id,
    })
  else app.toasts.show(`Budget nearly used in “${sessionName(session)}”: ${text}.`)
}
