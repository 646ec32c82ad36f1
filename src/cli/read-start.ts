import { readFileSync } from 'node:fs'
import type { Agent } from '../agents/agent.ts'
import { startRefusal } from '../agents/check-start.ts'
import { startOptions } from '../events/start-options.ts'
import type { StartOptions } from '../events/types.ts'
import { Fault } from '../shared/fault.ts'
import { fieldsOf } from '../shared/fields.ts'
import { reasonOf } from '../shared/reason.ts'
import { createWorktree } from '../worktrees/worktrees.ts'
import { printError } from './terminal.ts'

/** Checks the start options of the command line, with the MCP servers of a file. */
export const readStart = (given: object, mcpConfig: string | undefined): StartOptions => {
  const servers = mcpConfig === undefined ? {} : { mcpServers: serversIn(mcpConfig) }
  const { data, error } = startOptions.safeParse({ ...given, ...servers })
  if (data) return data
  const [issue] = error.issues
  const where = issue?.path.join('.') ?? ''
  throw new Fault('usage', `Not valid: ${where}: ${issue?.message ?? 'wrong value'}.`)
}

const serversIn = (file: string): unknown => {
  try {
    return fieldsOf(JSON.parse(readFileSync(file, 'utf8'))).mcpServers ?? {}
  } catch (cause) {
    throw new Fault('usage', `Cannot read ${file}: ${reasonOf(cause)}`, { cause })
  }
}

/** Throws a `Fault` if an agent cannot start with these options. */
export const requireSupport = (
  agent: Agent,
  start: StartOptions | undefined,
  version: string | undefined,
): void => {
  const refusal = start && (startRefusal(agent, start) ?? agent.startProblem?.(start, version))
  if (refusal !== undefined) throw new Fault('usage', refusal)
}

/** A new worktree for the work in a directory. Its branch is printed: a person needs it later. */
export const openWorktree = async (directory: string) => {
  const name = `session-${Date.now().toString(36)}`
  const created = await createWorktree({ directory, name })
  printError(`works in ${created.cwd}, on the branch ${created.worktree.branch}.`)
  return created
}
