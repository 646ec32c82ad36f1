import { createInterface } from 'node:readline'

// An MCP server with one tool. Agents start it as a program.
const results = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'greeter', version: '1' },
  },
  'tools/list': {
    tools: [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object' } }],
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id === undefined) continue
  const result = results[method] ?? {}
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}
