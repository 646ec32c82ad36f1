// Speaks the demo’s protocol. It accepts the prompt `nothing` without a run, ignores aborts, and ends
// a run only when its input closes.
import { createInterface } from 'node:readline'

const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
let isWorking = false

print({ type: 'session_start', agent: 'demo' })
for await (const line of createInterface({ input: process.stdin })) {
  const { type, id, text } = JSON.parse(line)
  print({ type: 'reply', id, ok: true })
  if (type !== 'prompt' || text === 'nothing') continue
  isWorking = true
  print({ type: 'agent_start' })
}
if (isWorking) print({ type: 'agent_end', stopReason: 'stop' })
