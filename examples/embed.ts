// Runs Sluice inside a program: one call opens the log, the sessions, the bus and the server.
// Start it with `node examples/embed.ts`. It uses the built-in demo agent, so it needs no key.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSluice } from 'sluice'

const sluice = await openSluice({
  data: mkdtempSync(join(tmpdir(), 'sluice-embed-')),
  policy: 'allow',
  http: { port: 0 },
  onEvent(event) {
    if (event.type === 'tool_call') console.log(`tool: ${event.toolName}`)
  },
})
console.log(`web app: ${sluice.server?.pairingUrl()}`)

const { record, session } = await sluice.sessions.create({ agent: 'demo', cwd: process.cwd() })
await session.prompt('Hello')
await session.idle()

const events = await sluice.log.head(record.id)
console.log(`session ${record.id} has ${events} events`)
await sluice.close()
