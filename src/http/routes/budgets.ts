import { budget, budgetChange, budgetList, newBudget } from '../../api/budget.ts'
import type { Budget } from '../../api/types.ts'
import { describeBudget } from '../../budget/amounts.ts'
import { requireWritable } from '../../log/log-status.ts'
import type { BudgetStatus } from '../../session/budgets/budget-book.ts'
import { defined } from '../../shared/fields.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { apiBase, endpoints } from '../endpoints.ts'
import { idParams } from './params.ts'
import { requireProject } from './projects.ts'
import { route } from './route.ts'

const tag = 'Budgets'

/** Limits on money, tokens and time that hold for several sessions. */
export const budgetRoutes = [
  route({
    endpoint: endpoints.listBudgets,
    tag,
    summary: 'List the budgets, and how much of them is used',
    description: 'A key that sees only some projects gets the budgets of those.',
    parts: {},
    reply: { status: 200, schema: budgetList },
    async handle(_, { app, access: { range } }) {
      const all = await app.sessions.budgets.list()
      const isVisible = ({ projectId }: Budget) =>
        !range || (projectId !== undefined && range.projects.includes(projectId))
      return { status: 200, body: { budgets: all.filter(isVisible) } }
    },
  }),
  route({
    endpoint: endpoints.setBudget,
    tag,
    summary: 'Set a budget for sessions, a project or a day',
    description:
      'There is one budget of each scope and project: an earlier one is replaced. It holds at once, for running sessions, too.',
    parts: { body: newBudget },
    reply: { status: 201, schema: budget },
    problems: ['unknown_project'],
    async handle({ body }, { app, actor, audit }) {
      const { projectId } = body
      if (projectId !== undefined) await requireProject(app.log, projectId)
      const set = await app.sessions.budgets.set({ ...body, by: actor.name })
      audit({ action: 'budget_set', projectId, detail: describeBudget(set) })
      return { status: 201, body: set }
    },
  }),
  route({
    endpoint: endpoints.changeBudget,
    tag,
    summary: 'Change a budget',
    description: 'New limits replace all earlier ones, but not what they were raised by.',
    parts: { params: idParams, body: budgetChange },
    reply: { status: 200, schema: budget },
    problems: ['unknown_budget', 'budget_fixed'],
    async handle({ params: { id }, body }, { app, audit }) {
      await requireChangeable(app, id)
      const changed = await app.sessions.budgets.change(id, defined(body))
      if (!changed) throw unknownBudget(id)
      const { projectId } = changed
      audit({ action: 'budget_set', projectId, detail: describeBudget(changed) })
      return { status: 200, body: changed }
    },
  }),
  route({
    endpoint: endpoints.removeBudget,
    tag,
    summary: 'Remove a budget',
    parts: { params: idParams },
    reply: { status: 204 },
    problems: ['unknown_budget', 'budget_fixed'],
    async handle({ params: { id } }, { app, audit }) {
      const { projectId, ...removed } = await requireChangeable(app, id)
      await requireWritable(app.log)
      await app.sessions.budgets.remove(id)
      audit({ action: 'budget_removed', projectId, detail: describeBudget(removed) })
      return { status: 204 }
    },
  }),
]

/** The budget with this id. Throws a `Problem`: 404, or 409 if an option of the server set it. */
const requireChangeable = async ({ sessions }: AppContext, id: string): Promise<BudgetStatus> => {
  const found = (await sessions.budgets.list()).find((each) => each.id === id)
  if (!found) throw unknownBudget(id)
  if (found.isFixed)
    throw new Problem(
      409,
      'budget_fixed',
      `An option of \`sluice serve\` sets the budget ${id}. Start the server with other options to change it.`,
    )
  return found
}

const unknownBudget = (id: string): Problem =>
  new Problem(404, 'unknown_budget', `There is no budget ${id}. GET ${apiBase}/budgets lists them.`)
