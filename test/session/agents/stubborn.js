// An agent that speaks as the demo does, and does as little as it can: it takes `nothing` without a
// run, and ends any other run only when nobody speaks to it any more.
import { createInterface } from 'node:readline'

const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
let isWorking = false

tell({ type: 'session_start', agent: 'demo' })
for await (const line of createInterface({ input: process.stdin })) {
  const { type, id, text } = JSON.parse(line)
  tell({ type: 'reply', id, ok: true })
  if (type !== 'prompt' || text === 'nothing') continue
  isWorking = true
  tell({ type: 'agent_start' })
}
if (isWorking) tell({ type: 'agent_end', stopReason: 'stop' })
