import type { AgentCommand } from './types.ts'

/** How a person calls a command, a skill or a subagent in a prompt. */
export const mentionOf = ({ kind, name }: AgentCommand): string =>
  kind === 'agent' ? `@agent-${name}` : `/${name}`

/**
 * Whether a person can type the name. Names come from files of a project: others could control the
 * screen, or hide something in a message.
 */
export const isMentionable = ({ name }: AgentCommand): boolean => isPlain.test(name)

const isPlain = /^[^\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u
