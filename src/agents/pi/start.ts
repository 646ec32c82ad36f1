import type { StartOptions } from '../../events/types.ts'
import { isAtLeast } from '../version.ts'

/** The flags of a session’s start. */
export const piStartFlags = (start: StartOptions): string[] => [
  ...flag('--thinking', start.thinkingLevel),
  ...flag('--tools', start.allowedTools?.join(',')),
  ...flag('--exclude-tools', start.deniedTools?.join(',')),
  ...flag('--system-prompt', asText(start.systemPrompt)),
  ...flag('--append-system-prompt', asText(start.appendSystemPrompt)),
]

/** Pi ignores a flag that it does not have, and would offer the tools. */
export const piStartProblem = (
  { deniedTools }: StartOptions,
  version: string | undefined,
): string | undefined =>
  deniedTools && version !== undefined && !isAtLeast(version, '0.87.0')
    ? `Pi ${version} cannot leave out single tools. Update Pi, or list the tools that it may use.`
    : undefined

/** Pi reads a file if the text is the path of one. No path ends with a line break. */
const asText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : `${text}\n`

const flag = (name: string, value: string | undefined): string[] =>
  value === undefined ? [] : [name, value]
