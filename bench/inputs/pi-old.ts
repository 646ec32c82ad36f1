import { type Fill, jsonLine, type Write } from './file.ts'
import { createText } from './text.ts'

/** Tokens and cost of a call, as Pi reports them. */
export const usage = {
  input: 12,
  output: 1,
  cacheRead: 8932,
  cacheWrite: 70,
  totalTokens: 9015,
  cost: {
    input: 0.000036,
    output: 0.000015,
    cacheRead: 0.0026796,
    cacheWrite: 0.0002625,
    total: 0.0029931,
  },
}
const about = {
  api: 'anthropic-messages',
  provider: 'fake',
  model: 'fake-sonnet',
  usage,
  stopReason: 'stop',
  timestamp: 1794724904289,
  responseId: 'msg_fake_0001',
}
const before = '{"role":"assistant","content":[{"type":"text","text":"'
const after = `","index":0}],${JSON.stringify(about).slice(1)}`

/** Pi up to 0.83: every delta comes with two copies of the whole text so far. */
export const piOld: Fill = (write, scale) => stream(write, 4000 * Math.sqrt(scale), eventFirst)

/** The same in the key order of Pi’s documentation: the start of a line does not show the delta. */
export const piMessageFirst: Fill = (write, scale) =>
  stream(write, 1000 * Math.sqrt(scale), messageFirst)

type Update = (write: Write, event: string, snapshot: Uint8Array) => void

const eventFirst: Update = (write, event, snapshot) => {
  write(`{"type":"message_update","assistantMessageEvent":${event},"partial":${before}`)
  write(snapshot)
  write(`${after}},"message":${before}`)
  write(snapshot)
  write(`${after}}\n`)
}

const messageFirst: Update = (write, event, snapshot) => {
  write(`{"type":"message_update","message":${before}`)
  write(snapshot)
  write(`${after},"assistantMessageEvent":${event},"partial":${before}`)
  write(snapshot)
  write(`${after}}}\n`)
}

const stream = (write: Write, count: number, update: Update) => {
  const deltas = createText(1).deltas(Math.round(count), 50)
  const text = deltas.join('')
  const message = (content: string) => ({
    role: 'assistant',
    content: content === '' ? [] : [{ type: 'text', text: content }],
    ...about,
  })
  const prompt = { role: 'user', content: [{ type: 'text', text: 'Go on' }], timestamp: 1 }
  write(jsonLine({ type: 'session', version: 3, id: '01a1ddf0', cwd: '/home/dev/project' }))
  write(jsonLine({ type: 'agent_start' }))
  write(jsonLine({ type: 'turn_start' }))
  write(jsonLine({ type: 'message_start', message: prompt }))
  write(jsonLine({ type: 'message_end', message: prompt }))
  write(jsonLine({ type: 'message_start', message: message('') }))
  const escaped = deltas.map((delta) => Buffer.from(JSON.stringify(delta).slice(1, -1)))
  const all = Buffer.concat(escaped)
  let length = 0
  update(write, '{"type":"text_start","contentIndex":0', all.subarray(0, 0))
  deltas.forEach((delta, index) => {
    length += escaped[index]?.length ?? 0
    const event = `{"type":"text_delta","contentIndex":0,"delta":${JSON.stringify(delta)}`
    update(write, event, all.subarray(0, length))
  })
  update(write, `{"type":"text_end","contentIndex":0,"content":${JSON.stringify(text)}`, all)
  write(jsonLine({ type: 'message_end', message: message(text) }))
  write(jsonLine({ type: 'turn_end', message: message(text), toolResults: [] }))
  write(jsonLine({ type: 'agent_end', messages: [prompt, message(text)] }))
}
