import type { AgentEvent, McpServer, StartOptions } from '../../events/types.ts'
import { type Fields, fieldsOf, isFields } from '../../shared/fields.ts'
import type { ConnectOptions } from '../live.ts'

/** What every request that opens a session has. An agent gets only what it announces to understand. */
export const openingParams = (
  { cwd, start = {} }: Pick<ConnectOptions, 'cwd' | 'start'>,
  capabilities: Fields,
): object => {
  const { directories } = start
  return {
    cwd,
    mcpServers: mcpServersOf(start),
    ...(directories && takesDirectories(capabilities) && { additionalDirectories: directories }),
  }
}

const takesDirectories = ({ sessionCapabilities }: Fields): boolean =>
  isFields(fieldsOf(sessionCapabilities).additionalDirectories)

/** MCP servers as the protocol writes them. */
const mcpServersOf = ({ mcpServers = {} }: StartOptions): object[] =>
  Object.entries(mcpServers).map(([name, server]) => ({ name, ...mcpServerOf(server) }))

const mcpServerOf = (server: McpServer): object =>
  'url' in server
    ? { type: server.type, url: server.url, headers: pairsOf(server.headers) }
    : { command: server.command, args: server.args ?? [], env: pairsOf(server.env) }

const pairsOf = (record: Readonly<Record<string, string>> = {}) =>
  Object.entries(record).map(([name, value]) => ({ name, value }))

/** Why the agent cannot use one of the MCP servers, for people. All agents start programs. */
export const transportProblem = (
  title: string,
  { mcpServers = {} }: StartOptions = {},
  { agentCapabilities }: Fields,
): string | undefined => {
  const { mcpCapabilities } = fieldsOf(agentCapabilities)
  for (const [name, server] of Object.entries(mcpServers))
    if ('url' in server && fieldsOf(mcpCapabilities)[server.type] !== true)
      return `${title} cannot use the MCP server “${name}”: it does not support ${server.type}. Remove the server, or start it as a program.`
  return undefined
}

/** A notice for people whose further directories the agent does not know. */
export const missingDirectories = (
  title: string,
  { directories = [] }: StartOptions = {},
  { agentCapabilities }: Fields,
): AgentEvent | undefined => {
  if (directories.length === 0 || takesDirectories(fieldsOf(agentCapabilities))) return undefined
  const text = `${title} does not support further directories, so it works only in its own.`
  return { type: 'session_update', notice: { level: 'warning', text } }
}
