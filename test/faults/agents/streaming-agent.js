// Speaks Claude Code’s protocol and streams short messages as fast as its reader takes them. The prompt
// is JSON: { messages, pauseEvery? }. Every message has its own events, which Sluice cannot join.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

const session = { session_id: 'b7c9b5a0-0000-4000-8000-000000000002', parent_tool_use_id: null }
const usage = { input_tokens: 1, output_tokens: 1 }
const prefix = randomUUID().slice(0, 8)
let ids = 0
let isStopped = false

const print = async (lines) => {
  const text = lines.map((line) => `${JSON.stringify({ ...line, ...session })}\n`).join('')
  if (!process.stdout.write(text))
    await new Promise((resolve) => process.stdout.once('drain', resolve))
}

const messageLines = (id, text) => {
  const event = (value) => ({ type: 'stream_event', event: value })
  const message = { id, type: 'message', role: 'assistant', model: 'm', usage, stop_reason: null }
  return [
    event({ type: 'message_start', message: { ...message, content: [] } }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    { type: 'assistant', message: { ...message, content: [{ type: 'text', text }] } },
    event({ type: 'content_block_stop', index: 0 }),
    event({ type: 'message_stop' }),
  ]
}

const run = async ({ messages, pauseEvery = 50 }) => {
  await print([{ type: 'system', subtype: 'init', cwd: process.cwd(), tools: [], model: 'm' }])
  for (let at = 0; at < messages && !isStopped; at += 1) {
    ids += 1
    await print(messageLines(`msg_${prefix}_${ids}`, `${'text ä '.repeat(1 + (at % 40))}${at}`))
    if (at % pauseEvery === 0) await pause(1)
  }
  await print([
    { type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: '', usage },
  ])
}

const accept = async (line) => {
  if (line.type === 'control_request') {
    if (line.request.subtype === 'interrupt') isStopped = true
    const response = { subtype: 'success', request_id: line.request_id, response: {} }
    return print([{ type: 'control_response', response }])
  }
  if (line.type !== 'user') return
  isStopped = false
  await print([{ ...line, isReplay: true }])
  return run(JSON.parse(line.message.content[0].text))
}

let pending = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (pending + chunk).split('\n')
  pending = lines.pop()
  for (const line of lines) void accept(JSON.parse(line))
})
process.stdin.on('end', () => process.exit())
process.stdout.on('error', () => process.exit())
