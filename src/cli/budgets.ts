import type { Budget, NewBudget, Project } from '../api/types.ts'
import { describeBudget, formatAmount } from '../budget/amounts.ts'
import { measures } from '../budget/limits.ts'
import type { BudgetScope, BudgetUse } from '../events/types.ts'
import { createAuditor, terminalActor } from '../log/auditor.ts'
import type { Log } from '../log/log.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { openBudgetBook } from '../session/budgets/budget-book.ts'
import { Fault } from '../shared/fault.ts'
import { asDataFault } from '../sluice/open-log.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { knownPath } from './last-session.ts'
import { onServer, type ServerTarget, serverAt } from './remote/server-target.ts'
import { printError, type Terminal } from './terminal.ts'

/** The budgets of a data directory or of a server. */
interface Budgets {
  list(): Promise<Budget[]>
  set(budget: NewBudget): Promise<Budget>
  remove(id: string): Promise<void>
  projects(): Promise<Project[]>
}

/** Runs `use` through the server that is named or has the directory; otherwise on the directory. */
const withBudgets = async <Result>(
  target: ServerTarget,
  use: (budgets: Budgets) => Promise<Result>,
): Promise<Result> => {
  const client = serverAt(target)
  if (client) {
    const projects = () => client.projects.list()
    return onServer(target, () => use({ ...client.budgets, projects }))
  }
  const log = await asDataFault(openSqliteLog(target.data))
  try {
    return await use(await localBudgets(log))
  } finally {
    await log.close()
  }
}

const localBudgets = async (log: Log): Promise<Budgets> => {
  const onError = (cause: unknown): never => {
    throw cause
  }
  const book = await openBudgetBook({ ...log, now: Date.now, onError })
  const recordAction = createAuditor({
    audit: log.audit,
    program: terminalActor,
    now: Date.now,
    onError,
  })
  return {
    list: book.list,
    async set(wanted) {
      const added = await book.set({ ...wanted, by: 'terminal' })
      const { projectId } = added
      recordAction({ action: 'budget_set', projectId, detail: describeBudget(added) })
      return added
    },
    async remove(id) {
      const removed = (await book.list()).find((each) => each.id === id)
      if (!removed || !(await book.remove(id))) return
      const { projectId } = removed
      recordAction({ action: 'budget_removed', projectId, detail: describeBudget(removed) })
    },
    projects: log.projects.list,
  }
}

/** `sluice budget list`. */
export const listBudgets = async (
  { json, ...target }: ServerTarget & { json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const { budgets, projects } = await withBudgets(target, async ({ list, projects: named }) => ({
    budgets: await list(),
    projects: await named(),
  }))
  if (budgets.length === 0 && !json)
    terminal.write('No budgets are set. Example: sluice budget set day --max-cost 20\n')
  for (const budget of budgets)
    if (json) terminal.writeJson(budget)
    else terminal.write(textOf(budget, projects))
  await terminal.flush()
  return exitCodes.done
}

export interface ChosenBudget extends ServerTarget {
  scope: BudgetScope
  /** The directory or the id of a project. */
  project?: string
}

export interface SetBudgetOptions extends ChosenBudget, Pick<NewBudget, 'limits' | 'onExceeded'> {
  json: boolean
}

/** `sluice budget set`. */
export const setBudget = async (
  { json, scope, project, limits, onExceeded, ...target }: SetBudgetOptions,
  terminal: Terminal,
): Promise<number> => {
  if (Object.keys(limits).length === 0)
    throw new Fault('usage', 'Give a limit: --max-cost, --max-tokens or --max-duration.')
  const { set, projects } = await withBudgets(target, async (budgets) => {
    const known = await budgets.projects()
    const projectId = projectIdOf(scope, project, known)
    const wanted = { scope, limits, ...(projectId !== undefined && { projectId }) }
    const added = await budgets.set({ ...wanted, ...(onExceeded && { onExceeded }) })
    return { set: added, projects: known }
  })
  if (json) terminal.writeJson(set)
  else terminal.write(textOf(set, projects))
  await terminal.flush()
  return exitCodes.done
}

/** `sluice budget remove`. */
export const removeBudget = async ({
  scope,
  project,
  ...target
}: ChosenBudget): Promise<number> => {
  await withBudgets(target, async (budgets) => {
    const projectId = projectIdOf(scope, project, await budgets.projects())
    const found = (await budgets.list()).find(
      (each) => each.scope === scope && each.projectId === projectId && !each.isFixed,
    )
    if (!found)
      throw new Fault('usage', 'There is no such budget. List them with: sluice budget list')
    await budgets.remove(found.id)
  })
  printError('removed the budget.')
  return exitCodes.done
}

const projectIdOf = (
  scope: BudgetScope,
  project: string | undefined,
  projects: readonly Project[],
): string | undefined => {
  if (project === undefined && scope !== 'project') return undefined
  const wanted = project ?? '.'
  const path = knownPath(wanted)
  const found = projects.find((each) => each.id === wanted || each.path === path)
  if (found) return found.id
  throw new Fault('usage', `${plainLine(path)} is not a project. A server creates projects.`)
}

/** A budget in short lines, which fit on a narrow screen. */
const textOf = (budget: Budget, projects: readonly Project[]): string => {
  const { scope, projectId, onExceeded, uses, limits, isFixed } = budget
  const name = projects.find(({ id }) => id === projectId)?.name
  const project = projectId === undefined ? [] : `project ${plainLine(name ?? projectId)}`
  const owner = [scope === 'project' ? [] : scope, project].flat().join(', ')
  const head = `${owner}: ${onExceeded} at the limit${isFixed ? ' (set by sluice serve)' : ''}`
  const lines = uses
    ? uses.map(useLine)
    : measures.flatMap((measure) => {
        const limit = limits[measure]
        return limit === undefined ? [] : `${formatAmount(measure, limit)} each`
      })
  return [head, ...lines.map((line) => `  ${line}`), ''].join('\n')
}

const useLine = ({ measure, spent, limit }: BudgetUse): string => {
  const percent = Math.floor((spent / limit) * 100)
  const used = formatAmount(measure, spent).replace(' tokens', '')
  return `${used} of ${formatAmount(measure, limit)} (${percent} %)`
}
