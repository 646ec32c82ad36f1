// Speaks the demo’s protocol. For `large` it runs a tool with a megabyte of output and an image, and
// the same tool again; for `small`, a tool whose output just fits into its event.
import { createInterface } from 'node:readline'

const print = (...events) => {
  for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`)
}
const output = `first line\n${'0123456789abcde\n'.repeat(65_536)}last line 🙂\n`
const image = Buffer.from(new Uint8Array(300 * 1024).map((_, index) => (index * 31) % 256))
const shot = { type: 'image', data: image.toString('base64'), mimeType: 'image/png' }

const tool = (id, text, more = []) => {
  const call = { toolCallId: id, toolName: 'bash' }
  const content = [{ type: 'text', text }, ...more]
  print(
    { type: 'tool_call', ...call, input: { command: 'large' } },
    { type: 'tool_execution_start', ...call },
    { type: 'tool_execution_update', ...call, outputDelta: text },
    { type: 'tool_execution_end', ...call, result: { content }, exitCode: 0 },
    { type: 'tool_result', message: { role: 'toolResult', ...call, content, isError: false } },
  )
}

print({ type: 'session_start', agent: 'demo' })
for await (const line of createInterface({ input: process.stdin })) {
  const { type, id, text } = JSON.parse(line)
  print({ type: 'reply', id, ok: true })
  if (type !== 'prompt') continue
  print({ type: 'agent_start' }, { type: 'turn_start' })
  if (text === 'small') tool('small', output.slice(0, 256 * 1024))
  if (text === 'large') tool('first', output, [shot])
  if (text === 'large') tool('again', output)
  print({ type: 'turn_end' }, { type: 'agent_end', stopReason: 'stop' })
}
