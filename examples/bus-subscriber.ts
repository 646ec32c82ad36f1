// Subscribes to the bus: every agent's events by subject, and approvals answered in code.
// Start it with `node examples/bus-subscriber.ts`.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSluice } from 'sluice'

const sluice = await openSluice({ data: mkdtempSync(join(tmpdir(), 'sluice-bus-')) })

sluice.bus.on('adapter:demo.tool_started', ({ payload }) => {
  console.log(`started: ${payload.toolName}`)
})
sluice.bus.on('adapter:demo.text_complete', ({ payload }) => {
  console.log(`text: ${payload.text}`)
})
sluice.bus.respond('adapter:demo.tool_approval', ({ toolName, args }) => {
  console.log(`asked: ${toolName} ${JSON.stringify(args)}`)
  return { action: 'allow' }
})

const { session } = await sluice.sessions.create({ agent: 'demo', cwd: process.cwd() })
await session.prompt('approve')
await session.idle()
await sluice.close()
