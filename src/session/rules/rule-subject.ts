import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import type { RuleSubject, SubjectPath } from '../../policy/rules.ts'

/** A call of a tool, as an approval request has it. */
export interface RequestedCall {
  readonly toolName?: string | undefined
  readonly args?: unknown
}

/** What rules decide about: the call, with its paths resolved on disk. */
export const ruleSubject = (
  { toolName = '', args }: RequestedCall,
  agent: Pick<Agent, 'knownCall'>,
  cwd: string,
): RuleSubject => {
  const call = agent.knownCall?.(toolName, args)
  if (!call) return { tool: toolName, call: undefined }
  if (call.kind === 'command') {
    const { kind, command, isPlain } = call
    return { tool: toolName, call: { kind, command, isPlain } }
  }
  const base = realPathOf(cwd)
  if (base === undefined) return { tool: toolName, call: undefined }
  const paths = call.kind === 'read' ? call.paths : [call.path]
  const resolved = paths.map((path): SubjectPath => {
    const named = resolve(cwd, path)
    return { named, real: call.kind === 'read' ? realPathOf(named) : realTargetOf(named) }
  })
  return { tool: toolName, call: { kind: call.kind, paths: resolved, base } }
}

const realPathOf = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** Where a file would be written: its directories may not exist yet. Undefined for a broken link. */
export const realTargetOf = (path: string): string | undefined => {
  const real = realPathOf(path)
  if (real !== undefined) return real
  const parent = dirname(path)
  if (parent === path || isLink(path)) return undefined
  const realParent = realTargetOf(parent)
  return realParent === undefined ? undefined : join(realParent, basename(path))
}

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
