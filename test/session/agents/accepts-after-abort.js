// Speaks the demo’s protocol. When a run is aborted, it starts another one with the next message that
// it was sent, as old agents do; unless the aborted run had started with `obey`.
import { createInterface } from 'node:readline'

const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
let isObedient = false
let waiting = []

const startRun = ({ id, text }) => {
  const content = [{ type: 'text', text }]
  print({ type: 'agent_start' })
  print({ type: 'message_start', messageId: id, messageRole: 'user' })
  print({ type: 'message_end', messageId: id, message: { role: 'user', content } })
  if (text === 'short') print({ type: 'agent_end', stopReason: 'stop' })
}

print({ type: 'session_start', agent: 'demo' })
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line)
  print({ type: 'reply', id: command.id, ok: true })
  if (command.type === 'prompt') isObedient = command.text === 'obey'
  if (command.type === 'prompt') startRun(command)
  if (command.type === 'steer') waiting.push(command)
  if (command.type !== 'abort') continue
  print({ type: 'agent_end', stopReason: 'aborted' })
  const [next] = waiting
  waiting = []
  if (next && !isObedient) startRun(next)
}
