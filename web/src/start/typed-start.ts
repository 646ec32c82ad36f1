import type { AgentInfo } from '../../../src/api/index.ts'
import type { McpServer, StartOption, StartOptions } from '../../../src/events/types.ts'
import { defined, isFields, stringOf, stringsOf } from '../../../src/shared/fields.ts'

/** How an agent starts, as a person types it; an empty field means the agent’s default. */
export interface TypedStart {
  readonly mode: string
  readonly thinkingLevel: string
  readonly allowedTools: string
  readonly deniedTools: string
  readonly directories: string
  readonly prompt: string
  /** Whether the prompt replaces the agent’s own, and is not added to it. */
  readonly isOtherPrompt: boolean
  readonly mcpServers: string
  readonly hasWorktree: boolean
}

export const nothingTyped: TypedStart = {
  mode: '',
  thinkingLevel: '',
  allowedTools: '',
  deniedTools: '',
  directories: '',
  prompt: '',
  isOtherPrompt: false,
  mcpServers: '',
  hasWorktree: false,
}

/**
 * Reads what was typed, without the options that the agent does not have: they may be left from another
 * agent. Throws an error that says which field is wrong.
 */
export const readTypedStart = (typed: TypedStart, agent: AgentInfo): StartOptions => {
  const has = (option: StartOption) => agent.start?.options.includes(option) === true
  const { modes, thinking } = agent.capabilities
  const prompt = textOf(typed.prompt)
  const isOther = has('systemPrompt') && (typed.isOtherPrompt || !has('appendSystemPrompt'))
  return defined({
    mode: has('mode')
      ? offered(
          typed.mode,
          modes.map(({ id }) => id),
        )
      : undefined,
    thinkingLevel: has('thinkingLevel') ? offered(typed.thinkingLevel, thinking) : undefined,
    allowedTools: has('allowedTools') ? linesOf(typed.allowedTools) : undefined,
    deniedTools: has('deniedTools') ? linesOf(typed.deniedTools) : undefined,
    directories: has('directories') ? linesOf(typed.directories) : undefined,
    systemPrompt: isOther ? prompt : undefined,
    appendSystemPrompt: !isOther && has('appendSystemPrompt') ? prompt : undefined,
    mcpServers: has('mcpServers') ? serversOf(typed.mcpServers) : undefined,
  })
}

const textOf = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim())

/** A value of another agent is not sent. An agent that lists no values checks them itself. */
const offered = (text: string, known: readonly string[]): string | undefined => {
  const value = textOf(text)
  return value === undefined || known.length === 0 || known.includes(value) ? value : undefined
}

/** One item in each line: rules for tools such as `Bash(git log, git diff)` contain commas. */
const linesOf = (text: string): string[] | undefined => {
  const lines = text.split('\n').flatMap((line) => textOf(line) ?? [])
  return lines.length > 0 ? lines : undefined
}

/** Reads MCP servers as `.mcp.json` has them, with or without the outer object. */
const serversOf = (text: string): Record<string, McpServer> | undefined => {
  if (text.trim() === '') return undefined
  const json = jsonOf(text)
  const servers = isFields(json) && isFields(json.mcpServers) ? json.mcpServers : json
  if (!isFields(servers)) throw new Error(mcpProblem)
  return Object.fromEntries(
    Object.entries(servers).map(([name, value]) => [name, serverOf(name, value)]),
  )
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(mcpProblem)
  }
}

const mcpProblem =
  'The MCP servers must be JSON, such as {"files": {"command": "npx", "args": ["files-mcp"]}}.'

const serverOf = (name: string, value: unknown): McpServer => {
  const fields = isFields(value) ? value : {}
  const [command, url] = [stringOf(fields.command), stringOf(fields.url)]
  if (command !== undefined)
    return defined({
      command,
      args: fields.args === undefined ? undefined : stringsOf(fields.args),
      env: textsOf(fields.env),
    })
  if (url === undefined) throw new Error(`The MCP server “${name}” needs a command or a url.`)
  const type = fields.type === 'sse' ? 'sse' : 'http'
  return defined({ type, url, headers: textsOf(fields.headers) } as const)
}

const textsOf = (value: unknown): Record<string, string> | undefined =>
  isFields(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, text]) =>
          typeof text === 'string' ? [[name, text]] : [],
        ),
      )
    : undefined
