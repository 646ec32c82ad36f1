import { agentHooks } from '../agents/hook-table.ts'
import type { AgentHooks, HookMessage } from '../agents/hooks.ts'
import { countOf, fieldsOf, ownValue, stringOf } from '../shared/fields.ts'
import { isNativeId } from '../watch/native-key.ts'

/** Who sends a message through a hook, as far as it says so. Nothing of it is believed. */
export interface HookSender {
  agent: string
  hooks: AgentHooks
  /** Which settings file started the hook. Two files may ask about the same call. */
  scope: string
  /** Whether a person sits before the session. */
  isAttended: boolean
  /** The process of the agent. */
  pid: number
}

/** The first line of a connection: who sends, and how long the rest is. */
export interface HookHead extends HookSender {
  length: number
}

/** Reads the first line; undefined if it is not one. */
export const readHead = (line: string): HookHead | undefined => {
  const { agent, scope, isAttended, pid, length } = fieldsOf(parsed(line))
  const name = stringOf(agent) ?? ''
  const hooks = ownValue(agentHooks, name)
  const size = countOf(length)
  if (!hooks || size === undefined || !Number.isInteger(size)) return undefined
  const process = countOf(pid)
  return {
    ...{ agent: name, hooks, length: size, isAttended: isAttended !== false },
    scope: (stringOf(scope) ?? '').slice(0, 20),
    pid: process !== undefined && Number.isInteger(process) ? process : 0,
  }
}

/** Paths that are longer are no paths. */
const maxPathLength = 4096

/** Reads what the agent passed to its hook; undefined if it is nothing that Sluice needs. */
export const readMessage = (text: string, { hooks }: HookSender): HookMessage | undefined => {
  const message = hooks.read(fieldsOf(parsed(text)))
  if (!message || !isNativeId(message.nativeId) || !isPath(message.cwd)) return undefined
  const { transcriptPath } = message
  return transcriptPath === undefined || isPath(transcriptPath) ? message : undefined
}

const isPath = (path: string): boolean =>
  path.length <= maxPathLength && path.startsWith('/') && !path.includes('\0')

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
