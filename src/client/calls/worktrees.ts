import type {
  Comparison,
  NewComparison,
  WorktreeInfo,
  WorktreeList,
  WorktreeQuery,
} from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'

/** Calls about the git worktrees of sessions. */
export interface WorktreeCalls {
  /** Returns the worktrees of all projects, or of one. */
  list(query?: WorktreeQuery, options?: CallOptions): Promise<WorktreeInfo[]>
  /** Deletes a worktree. With `force`, also one with changes that are not committed. */
  remove(path: string, options?: CallOptions & { force?: boolean }): Promise<void>
}

/** Calls about agents that got the same prompt. */
export interface ComparisonCalls {
  /** Sends the same prompt to several agents, each in a git worktree of its own. */
  create(comparison: NewComparison, options?: CallOptions): Promise<Comparison>
  get(id: string, options?: CallOptions): Promise<Comparison>
}

const isWorktreeList = hasFields<WorktreeList>('worktrees')
const isComparison = hasFields<Comparison>('id', 'agents')

export const worktreeCalls = (caller: Caller): WorktreeCalls => ({
  list: async (query = {}, options) =>
    (await caller.json({ path: 'worktrees', query: { ...query } }, isWorktreeList, options))
      .worktrees,
  remove: (at, { force, ...options } = {}) =>
    caller.empty(
      { method: 'DELETE', path: 'worktrees', query: { path: at, ...(force && { force: 'true' }) } },
      options,
    ),
})

export const comparisonCalls = (caller: Caller): ComparisonCalls => ({
  create: (body, options) =>
    caller.json({ method: 'POST', path: 'comparisons', body }, isComparison, options),
  get: (id, options) => caller.json({ path: path`comparisons/${id}` }, isComparison, options),
})
