// An agent that speaks as the demo does, and prints far more: one tool with a megabyte of output and
// an image, and once more the same; and at last what is just small enough.
import { createInterface } from 'node:readline'

const tell = (...events) => {
  for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`)
}
const output = `first line\n${'0123456789abcde\n'.repeat(65_536)}last line 🙂\n`
const image = Buffer.from(new Uint8Array(300 * 1024).map((_, index) => (index * 31) % 256))
const shot = { type: 'image', data: image.toString('base64'), mimeType: 'image/png' }

const tool = (id, text, more = []) => {
  const call = { toolCallId: id, toolName: 'bash' }
  const content = [{ type: 'text', text }, ...more]
  tell(
    { type: 'tool_call', ...call, input: { command: 'loud' } },
    { type: 'tool_execution_start', ...call },
    { type: 'tool_execution_update', ...call, outputDelta: text },
    { type: 'tool_execution_end', ...call, result: { content }, exitCode: 0 },
    { type: 'tool_result', message: { role: 'toolResult', ...call, content, isError: false } },
  )
}

tell({ type: 'session_start', agent: 'demo' })
for await (const line of createInterface({ input: process.stdin })) {
  const { type, id, text } = JSON.parse(line)
  tell({ type: 'reply', id, ok: true })
  if (type !== 'prompt') continue
  tell({ type: 'agent_start' }, { type: 'turn_start' })
  if (text === 'small') tool('small', output.slice(0, 256 * 1024))
  if (text === 'loud') tool('first', output, [shot])
  if (text === 'loud') tool('again', output)
  tell({ type: 'turn_end' }, { type: 'agent_end', stopReason: 'stop' })
}
