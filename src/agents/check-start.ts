import type { StartOption, StartOptions } from '../events/types.ts'
import type { Agent, AgentDescription } from './agent.ts'

/**
 * Why sessions with an agent cannot start with these options, for people; undefined if they can. What
 * depends on the installed version is found when the agent starts.
 */
export const startRefusal = (agent: AgentDescription, start: StartOptions): string | undefined => {
  const { title, capabilities, start: support } = agent
  const offered: readonly string[] = support?.options ?? []
  const missing = Object.keys(start).find((name) => !offered.includes(name))
  if (missing !== undefined) return `${title} does not support ${optionWords(missing)}.`
  const { mode, thinkingLevel } = start
  const { thinking } = capabilities
  const modes = capabilities.modes.map(({ id }) => id)
  if (mode !== undefined && !isOffered(mode, modes)) return unknownMode(agent, mode, modes)
  if (thinkingLevel !== undefined && !isOffered(thinkingLevel, thinking))
    return unknownLevel(agent, thinkingLevel, thinking)
  if (start.systemPrompt !== undefined && start.appendSystemPrompt !== undefined)
    return 'Either replace the system prompt or add to it, not both.'
  return undefined
}

/** Why there are no sessions with an agent, for people; undefined if there are. */
export const sessionRefusal = ({
  name,
  title,
  capabilities,
}: Pick<AgentDescription, 'name' | 'title' | 'capabilities'>): string | undefined =>
  capabilities.isLive
    ? undefined
    : `${title} has no sessions: it runs once and ends. Use \`sluice run ${name}\`.`

/** Why a run of a single prompt cannot start with these options, although a session could. */
export const oneShotRefusal = (
  { title, start: support, oneShotOptions = support?.options ?? [] }: Agent,
  start: StartOptions,
): string | undefined => {
  const missing = Object.keys(start).find((name) => !oneShotOptions.some((each) => each === name))
  return missing === undefined
    ? undefined
    : `${title} does not support ${optionWords(missing)} in a run of a single prompt. Use \`sluice chat\`, or run it on a server.`
}

/** Agents that list their modes only while they run check them then. */
const isOffered = (wanted: string, known: readonly string[]): boolean =>
  known.length === 0 || known.includes(wanted)

/** What to reply to a mode that an agent does not have. */
export const unknownMode = (
  { title }: Pick<AgentDescription, 'title'>,
  mode: string,
  modes: readonly string[],
): string => `${title} has no permission mode “${mode}”. It has: ${modes.join(', ')}.`

/** What to reply to a level that an agent does not have. */
export const unknownLevel = (
  { title }: Pick<AgentDescription, 'title'>,
  level: string,
  levels: readonly string[],
): string => `${title} has no thinking level “${level}”. It has: ${levels.join(', ')}.`

const words: Record<StartOption, string> = {
  mode: 'permission modes',
  thinkingLevel: 'thinking levels',
  allowedTools: 'a list of allowed tools',
  deniedTools: 'a list of denied tools',
  directories: 'further directories',
  systemPrompt: 'another system prompt',
  appendSystemPrompt: 'an addition to its system prompt',
  mcpServers: 'MCP servers of a session',
}

const isStartOption = (name: string): name is StartOption => Object.hasOwn(words, name)

const optionWords = (name: string): string => (isStartOption(name) ? words[name] : name)
