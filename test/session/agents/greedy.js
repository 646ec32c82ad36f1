// An agent that speaks as the demo does, and takes what it was sent in one run into another when the
// first is stopped, as old agents do; unless that had begun with `obey`.
import { createInterface } from 'node:readline'

const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
let isObedient = false
let waiting = []

const begin = ({ id, text }) => {
  const content = [{ type: 'text', text }]
  tell({ type: 'agent_start' })
  tell({ type: 'message_start', messageId: id, messageRole: 'user' })
  tell({ type: 'message_end', messageId: id, message: { role: 'user', content } })
  if (text === 'short') tell({ type: 'agent_end', stopReason: 'stop' })
}

tell({ type: 'session_start', agent: 'demo' })
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line)
  tell({ type: 'reply', id: command.id, ok: true })
  if (command.type === 'prompt') isObedient = command.text === 'obey'
  if (command.type === 'prompt') begin(command)
  if (command.type === 'steer') waiting.push(command)
  if (command.type !== 'abort') continue
  tell({ type: 'agent_end', stopReason: 'aborted' })
  const [next] = waiting
  waiting = []
  if (next && !isObedient) begin(next)
}
