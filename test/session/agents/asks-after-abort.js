// Speaks the demo’s protocol. When its run is aborted, it first wants to run a tool, and ends the run
// after the answer.
import { createInterface } from 'node:readline'

const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)

const request = {
  type: 'approval_request',
  approvalId: 'late',
  kind: 'tool',
  toolCallId: 'call',
  toolName: 'bash',
  args: { command: 'rm notes.md' },
}

print({ type: 'session_start', agent: 'demo' })
for await (const line of createInterface({ input: process.stdin })) {
  const { type, id } = JSON.parse(line)
  print({ type: 'reply', id, ok: true })
  if (type === 'prompt') print({ type: 'agent_start' })
  if (type === 'abort') print(request)
  if (type === 'answer') print({ type: 'agent_end', stopReason: 'stop' })
}
