import type { EventOf } from '../../events/types.ts'

/** A call that is asked about. */
type Call = Pick<EventOf<'approval_request'>, 'toolName' | 'args'>

/** What was allowed, and for how long. */
interface Allowed {
  action: 'allow' | 'deny'
  /** The arguments that were allowed instead. */
  updatedInput?: unknown
  remember?: 'tool' | 'command' | undefined
}

/** Whether a call may run unasked, because it was allowed for the rest of the session. */
export const isRemembered = (remembered: ReadonlySet<string>, call: Call): boolean =>
  remembered.has(toolKey(call)) || remembered.has(commandKey(call))

/** Keeps in mind what may run unasked: every use of the tool, or the very call that was allowed. */
export const remember = (remembered: Set<string>, call: Call, allowed: Allowed): void => {
  if (allowed.action === 'deny') return
  const args = allowed.updatedInput ?? call.args
  if (allowed.remember === 'tool') remembered.add(toolKey(call))
  if (allowed.remember === 'command') remembered.add(commandKey({ ...call, args }))
}

const toolKey = ({ toolName = '' }: Call): string => toolName

/** The model describes the same command in other words each time. */
const commandKey = ({ toolName = '', args }: Call): string => {
  const isCommand = typeof args === 'object' && args !== null && 'command' in args
  return `${toolName} ${JSON.stringify(isCommand ? { ...args, description: undefined } : args)}`
}
