import type { StartOptions } from '../../events/types.ts'
import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'

/** Arguments of a one-shot run. */
export const geminiCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  '-p',
  promptArgument(prompt),
  '--output-format',
  'stream-json',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...startFlags(options.start),
  ...(options.extra ?? []),
]

const startFlags = ({ mode, directories = [] }: StartOptions = {}): string[] => [
  // The names of its flag differ from those of its protocol.
  ...(mode === undefined ? [] : [`--approval-mode=${mode === 'autoEdit' ? 'auto_edit' : mode}`]),
  ...directories.map((directory) => `--include-directories=${directory}`),
]

/** Gemini CLI has no flag for MCP servers. */
export const geminiOneShotOptions = ['mode', 'directories'] as const
