import type { Budget, BudgetChange, BudgetList, NewBudget } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'

/** Calls about budgets that hold for several sessions. */
export interface BudgetCalls {
  /** Returns all budgets, and how much of them is used. */
  list(options?: CallOptions): Promise<Budget[]>
  /** Sets a budget. It replaces the one with the same scope and project. */
  set(budget: NewBudget, options?: CallOptions): Promise<Budget>
  /** Changes the limits of a budget, or what happens when one is reached. */
  update(id: string, change: BudgetChange, options?: CallOptions): Promise<Budget>
  remove(id: string, options?: CallOptions): Promise<void>
}

const isBudget = hasFields<Budget>('id', 'scope', 'limits')
const isBudgetList = hasFields<BudgetList>('budgets')

export const budgetCalls = (caller: Caller): BudgetCalls => ({
  list: async (options) => (await caller.json({ path: 'budgets' }, isBudgetList, options)).budgets,
  set: (body, options) => caller.json({ method: 'POST', path: 'budgets', body }, isBudget, options),
  update: (id, body, options) =>
    caller.json({ method: 'PATCH', path: path`budgets/${id}`, body }, isBudget, options),
  remove: (id, options) => caller.empty({ method: 'DELETE', path: path`budgets/${id}` }, options),
})
