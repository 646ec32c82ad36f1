import type { Agent } from '../agents/agent.ts'
import { oneShotRefusal, startRefusal } from '../agents/check-start.ts'
import type { StartOptions } from '../events/types.ts'
import { isDirectory } from '../files/is-directory.ts'
import { Fault } from '../shared/fault.ts'
import { printError } from './terminal.ts'

/** Throws a `Fault` if an agent cannot start a session with these options. */
export const requireSupport = (
  agent: Agent,
  start: StartOptions | undefined,
  version: string | undefined,
): void => {
  const refusal = start && (startRefusal(agent, start) ?? agent.startProblem?.(start, version))
  if (refusal !== undefined) throw new Fault('usage', refusal)
  // Agents ignore a directory that is not there.
  const missing = start?.directories?.find((directory) => !isDirectory(directory))
  if (missing !== undefined) throw new Fault('usage', `${missing} is not a directory.`)
}

/** Throws a `Fault` if an agent cannot run a single prompt with these options. */
export const requireOneShotSupport = (
  agent: Agent,
  start: StartOptions | undefined,
  version: string | undefined,
): void => {
  requireSupport(agent, start, version)
  const refusal = start && oneShotRefusal(agent, start)
  if (refusal !== undefined) throw new Fault('usage', refusal)
}

/** A new worktree for the work in a directory. Its branch is printed: a person needs it later. */
export const openWorktree = async (directory: string) => {
  const name = `session-${Date.now().toString(36)}`
  const { createWorktree } = await import('../worktrees/worktrees.ts')
  const created = await createWorktree({ directory, name })
  printError(`works in ${created.cwd}, on the branch ${created.worktree.branch}.`)
  return created
}
