import type { Agent } from '../../agents/agent.ts'
import type { EventOf } from '../../events/types.ts'
import { readOwnFile } from '../../files/read-own-file.ts'
import { configPaths } from '../../process/agent-config.ts'

/** The most that is read of an output. */
const maxBytes = 8_000_000

/**
 * A result with the complete output of its call, where the agent shortened it and names the file with all
 * of it. The file is read once, now: the agent may delete it.
 */
export const withFullOutput = (
  event: EventOf<'tool_result'>,
  { agent, env }: { agent: Agent; env?: NodeJS.ProcessEnv | undefined },
): EventOf<'tool_result'> => {
  const { message } = event
  const file = agent.outputFile?.(message.details)
  if (!file) return event
  for (const directory of configPaths(agent, env)) {
    const { pattern } = file
    const output = readOwnFile(file.path, { directory, pattern, maxBytes })
    if (!output) continue
    const { text, size } = output
    return { ...event, message: { ...message, output: text, outputSize: size } }
  }
  return event
}
