import { resolve } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import { realTargetOf, resolveLinks } from '../../files/real-path.ts'
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
  const base = resolveLinks(cwd)
  if (base === undefined) return { tool: toolName, call: undefined }
  const paths = call.kind === 'read' ? call.paths : [call.path]
  const resolved = paths.map((path): SubjectPath => {
    const named = resolve(cwd, path)
    return { named, real: call.kind === 'read' ? resolveLinks(named) : realTargetOf(named) }
  })
  return { tool: toolName, call: { kind: call.kind, paths: resolved, base } }
}
