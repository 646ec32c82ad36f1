// Speaks Claude Code’s protocol and prints whatever HOSTILE says, in pieces of three characters. With
// `ask` it requests an approval first. It writes the answer that it gets to HOSTILE_REPORT.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { HOSTILE = '{}', HOSTILE_REPORT } = process.env
const { text = '', toolName = 'Bash', asks = [], output = '', stderr = '' } = JSON.parse(HOSTILE)
const sessionId = '0e344355-e5c8-4a2e-80c0-b1e4340d13dd'
const print = (line) =>
  process.stdout.write(`${JSON.stringify({ session_id: sessionId, ...line })}\n`)
let messages = 0

const message = (content) => ({
  model: text || 'm',
  id: `msg_${messages}`,
  type: 'message',
  role: 'assistant',
  content,
  stop_reason: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

const write = (whole) => {
  messages += 1
  const event = (more) => print({ type: 'stream_event', event: more, parent_tool_use_id: null })
  event({ type: 'message_start', message: message([]) })
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  for (let at = 0; at < whole.length; at += 3)
    event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: whole.slice(at, at + 3) },
    })
  print({
    type: 'assistant',
    message: message([{ type: 'text', text: whole }]),
    parent_tool_use_id: null,
  })
  event({ type: 'content_block_stop', index: 0 })
  event({ type: 'message_stop' })
}

const call = (id, input) => {
  messages += 1
  const content = [{ type: 'tool_use', id, name: toolName, input }]
  print({ type: 'assistant', message: message(content), parent_tool_use_id: null })
}

const finish = () =>
  print({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: text,
    num_turns: 1,
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 1 },
  })

const result = (id) =>
  print({
    type: 'user',
    message: {
      role: 'user',
      content: [{ tool_use_id: id, type: 'tool_result', content: output, is_error: false }],
    },
    parent_tool_use_id: null,
  })

let asked = 0
const askNext = () => {
  const input = asks[asked]
  if (input === undefined) {
    write('I am done.')
    return finish()
  }
  asked += 1
  call(`toolu_${asked}`, input)
  print({
    type: 'control_request',
    request_id: `r${asked}`,
    request: { subtype: 'can_use_tool', tool_name: toolName, input, tool_use_id: `toolu_${asked}` },
  })
}

print({
  type: 'system',
  subtype: 'init',
  cwd: process.cwd(),
  tools: [],
  model: 'm',
  permissionMode: 'default',
})
process.stderr.write(stderr)
if (process.argv.includes('--input-format')) {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { type, request_id: id, response } = JSON.parse(line)
    if (type === 'control_request')
      print({
        type: 'control_response',
        response: { subtype: 'success', request_id: id, response: {} },
      })
    if (type === 'user') {
      write(text)
      askNext()
    }
    if (type === 'control_response') {
      if (HOSTILE_REPORT) appendFileSync(HOSTILE_REPORT, `${JSON.stringify(response.response)}\n`)
      result(`toolu_${asked}`)
      askNext()
    }
  })
} else {
  write(text)
  call('toolu_1', { command: text })
  result('toolu_1')
  finish()
  if (stderr !== '') process.exitCode = 3
}
