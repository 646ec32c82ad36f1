import type { StartOptions } from '../../events/types.ts'
import type { CommandOptions } from '../agent.ts'
import { promptArgument } from '../prompt-argument.ts'

/** Arguments of a one-shot run. The prompt comes first: a flag that takes a list would swallow it. */
export const qwenCommand = (prompt: string, options: CommandOptions = {}): string[] => [
  promptArgument(prompt),
  '--output-format',
  'stream-json',
  '--include-partial-messages',
  ...(options.model === undefined ? [] : ['--model', options.model]),
  ...startFlags(options.start),
  ...(options.extra ?? []),
]

const startFlags = ({ mode, directories = [], mcpServers }: StartOptions = {}): string[] => [
  ...(mode === undefined ? [] : [`--approval-mode=${mode}`]),
  ...directories.map((directory) => `--include-directories=${directory}`),
  ...(mcpServers ? [`--mcp-config=${JSON.stringify({ mcpServers })}`] : []),
]
