import type { StartInfo, StartOptions } from './types.ts'

/** Start options as readers see them. Texts can be long, and MCP servers have secrets: neither is shown. */
export const startInfoOf = (start: StartOptions): StartInfo => {
  const { systemPrompt, appendSystemPrompt, mcpServers, ...shown } = start
  return {
    ...shown,
    ...(appendSystemPrompt !== undefined && { systemPrompt: 'extended' }),
    ...(systemPrompt !== undefined && { systemPrompt: 'replaced' }),
    ...(mcpServers && { mcpServers: Object.keys(mcpServers) }),
  }
}
