import type { StartOptions } from '../../events/types.ts'
import { type LiveOptions, optionalRequestPrefix } from '../live.ts'
import { isAtLeast } from '../version.ts'
import { control } from './control-line.ts'

/**
 * The flags of a session’s start. Each value is joined to its flag: a flag that takes a list would
 * swallow what follows, and a value may begin with a dash.
 */
export const claudeStartFlags = (start: StartOptions, version: string | undefined): string[] => [
  ...flag('--permission-mode', start.mode),
  ...effortFlags(start.thinkingLevel, version),
  ...(start.allowedTools ?? []).flatMap((tool) => flag('--allowedTools', tool)),
  ...(start.deniedTools ?? []).flatMap((tool) => flag('--disallowedTools', tool)),
  ...(start.directories ?? []).flatMap((directory) => flag('--add-dir', directory)),
  ...flag('--system-prompt', start.systemPrompt),
  ...flag('--append-system-prompt', start.appendSystemPrompt),
]

/** The flags that a one-shot run needs in addition: it has no stdin to send the rest by. */
export const claudeOneShotFlags = ({ thinkingLevel, mcpServers }: StartOptions): string[] => [
  ...(thinkingLevel === 'off' ? ['--settings={"alwaysThinkingEnabled":false}'] : []),
  ...(mcpServers ? flag('--mcp-config', JSON.stringify({ mcpServers })) : []),
]

/** Lines that complete the start. Other users of the machine can read arguments, but not these. */
export const claudeStartLines = (
  { thinkingLevel, mcpServers }: StartOptions,
  version: string | undefined,
): readonly unknown[] => [
  ...(thinkingLevel === undefined
    ? []
    : (thinkingLines(`${optionalRequestPrefix}thinking`, thinkingLevel, version) ?? [])),
  ...(mcpServers
    ? [control(`${optionalRequestPrefix}mcp`, { subtype: 'mcp_set_servers', servers: mcpServers })]
    : []),
]

/**
 * The lines that change how much the model thinks; undefined if the version cannot. Some models have a
 * number of tokens for it, others a level of effort, and some have both. The last line requests the
 * effort that holds by then.
 */
export const thinkingLines = (
  id: string,
  level: string,
  version: string | undefined,
): readonly unknown[] | undefined => {
  const tokens = thinkingTokens.get(level)
  if (tokens === undefined || !hasThinkingRequest(version)) return undefined
  const budget = control(id, { subtype: 'set_max_thinking_tokens', max_thinking_tokens: tokens })
  if (!hasEffort(version)) return [budget]
  const efforts = effortsFor(level).map((effortLevel, index) =>
    control(`${optionalRequestPrefix}${index}-${id}`, {
      subtype: 'apply_flag_settings',
      settings: { effortLevel },
    }),
  )
  const look = control(`${effortRequestPrefix}${id}`, { subtype: 'get_settings' })
  return [...efforts, budget, ...(level === 'off' ? [] : [look])]
}

/** Prefix of the ids of requests for the settings that hold. */
export const effortRequestPrefix = `${optionalRequestPrefix}effort-`

/**
 * The efforts to set one after the other. Versions without `max` ignore it. Some models always think:
 * without thinking, they think the least. Others refuse a high effort without thinking.
 */
const effortsFor = (level: string): readonly string[] => {
  if (level === 'off') return ['low']
  return level === 'max' ? ['xhigh', 'max'] : [level]
}

/** Why a version of Claude Code cannot start with these options. */
export const claudeStartProblem = (
  { systemPrompt, thinkingLevel, mcpServers }: StartOptions,
  version: string | undefined,
  { fork }: Pick<LiveOptions, 'fork'> = {},
): string | undefined => {
  if (version === undefined || isAtLeast(version, '2.0.77')) return undefined
  if (fork && !isAtLeast(version, '1.0.128'))
    return `Claude Code ${version} cannot continue a copy of a conversation. That needs version 1.0.128. Update Claude Code.`
  const isNewer = systemPrompt !== undefined || thinkingLevel !== undefined || mcpServers
  return isNewer
    ? `Claude Code ${version} has no option for the system prompt, the thinking level or MCP servers of a session. Update Claude Code.`
    : undefined
}

/** The numbers of tokens behind Claude Code’s own words: “think”, “think hard”, “ultrathink”. */
const thinkingTokens: ReadonlyMap<string, number> = new Map([
  ['off', 0],
  ['low', 4000],
  ['medium', 10_000],
  ['high', 31_999],
  ['xhigh', 31_999],
  ['max', 31_999],
])

const flag = (name: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`${name}=${value}`]

const effortFlags = (level: string | undefined, version: string | undefined): string[] =>
  level !== undefined && level !== 'off' && hasEffort(version) ? [`--effort=${level}`] : []

/** Version 2.0 ends at once with a flag that it does not have. */
const hasEffort = (version: string | undefined): boolean =>
  version === undefined || isAtLeast(version, '2.1.112')

/** Version 1.0 does not reply to the request. */
const hasThinkingRequest = (version: string | undefined): boolean =>
  version === undefined || isAtLeast(version, '2.0.0')
