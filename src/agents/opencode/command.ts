import type { StartOptions } from '../../events/types.ts'
import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'

/** Arguments of a one-shot run. */
export const openCodeCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  'run',
  '--format',
  'json',
  '--thinking',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...startFlags(options.start),
  ...(options.extra ?? []),
  ...promptWords(prompt),
]

const startFlags = ({ mode, thinkingLevel }: StartOptions = {}): string[] => [
  ...(mode === undefined ? [] : [`--agent=${mode}`]),
  ...(thinkingLevel === undefined ? [] : [`--variant=${thinkingLevel}`]),
]

/** OpenCode has no flag for MCP servers. */
export const openCodeOneShotOptions = ['mode', 'thinkingLevel'] as const

/**
 * The prompt as one argument per word. OpenCode joins its arguments with blanks, but puts an argument
 * that has a blank into quotes, which the model would see. Words after the first one that begins
 * with a dash follow `--`. There OpenCode fails on numbers, so such a prompt stays one argument.
 */
const promptWords = (prompt: string): string[] => {
  const words = prompt.split(' ')
  const dash = words.findIndex((word) => word.startsWith('-'))
  if (dash < 0) return words
  const rest = words.slice(dash)
  if (rest.some((word) => word !== '' && !Number.isNaN(Number(word))))
    return [promptArgument(prompt)]
  return [...words.slice(0, dash), '--', ...rest]
}
