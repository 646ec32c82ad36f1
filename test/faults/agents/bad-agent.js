// Speaks Claude Code’s protocol badly. The file `behaviour` in its directory names what it does wrong.
import { spawn } from 'node:child_process'
import { closeSync, readFileSync, writeSync } from 'node:fs'

const session = { session_id: 'b7c9b5a0-0000-4000-8000-000000000003', parent_tool_use_id: null }
const usage = { input_tokens: 1, output_tokens: 1 }
const write = (text) => process.stdout.write(text)
const print = (line) => write(`${JSON.stringify({ ...line, ...session })}\n`)
const exit = (code) => process.exit(code)
const forever = () => setInterval(() => {}, 1 << 30)

const init = () =>
  print({ type: 'system', subtype: 'init', cwd: process.cwd(), tools: [], model: 'm' })
const message = (id, content) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  usage,
})
const say = (text, id = 'msg_1') =>
  print({ type: 'assistant', message: message(id, [{ type: 'text', text }]) })
const use = (id, input = { command: 'ls' }) =>
  print({
    type: 'assistant',
    message: message(`msg_${id}`, [{ type: 'tool_use', id, name: 'Bash', input }]),
  })
const stream = (event) => print({ type: 'stream_event', event })
const finish = () =>
  print({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: '', usage })
const reply = ({ request_id: id }) =>
  print({
    type: 'control_response',
    response: { subtype: 'success', request_id: id, response: {} },
  })
const ask = (requestId, toolUseId) =>
  print({
    type: 'control_request',
    request_id: requestId,
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: toolUseId },
  })
/** Runs a program that outlives this one and holds its pipes. */
const leave = (code, stdio) =>
  spawn(process.execPath, ['-e', code], {
    stdio,
    detached: true,
    env: { PATH: process.env.PATH },
  }).unref()

/** What an agent does at its start and with a prompt. Without `onPrompt` it says something and ends its run. */
const behaviours = {
  'exits at once': { onStart: () => exit(0) },
  'fails at once': { onStart: () => exit(7) },
  'is killed at once': { onStart: () => process.kill(process.pid, 'SIGKILL') },
  'exits after the prompt': { onPrompt: () => exit(0) },
  'exits in the middle of a message': {
    onPrompt() {
      stream({ type: 'message_start', message: message('msg_1', []) })
      stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
      writeSync(1, '{"type":"stream_event","event":{"type":"content_block_del')
      exit(1)
    },
  },
  'prints garbage': {
    onPrompt() {
      for (let at = 0; at < 300; at += 1) write(`garbage ${at} }{][ \u0007\u001b[2J\n`)
      finish()
    },
  },
  'prints half lines': {
    onPrompt() {
      for (let at = 0; at < 100; at += 1) write(`{"type":"assistant","message":{"id":"m${at}\n`)
      finish()
    },
  },
  'prints invalid UTF-8': {
    onPrompt() {
      write(Buffer.from([0xff, 0xfe, 0x80, 0x0a, 0xc3, 0x28, 0x0a]))
      write(
        Buffer.concat([Buffer.from('{"type":"assistant","x":"'), Buffer.from([0xe2, 0x82, 0x0a])]),
      )
      finish()
    },
  },
  'prints a line without an end': {
    onPrompt() {
      const part = `{"type":"assistant","x":"${'x'.repeat(1 << 20)}`
      for (let at = 0; at < 24; at += 1) write(part)
      write('\n')
      finish()
    },
  },
  'prints no newline at the end': {
    onPrompt() {
      say('hello')
      writeSync(
        1,
        '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":""}',
      )
      exit(0)
    },
  },
  'closes stdout': {
    onPrompt() {
      say('hello')
      closeSync(1)
      forever()
    },
  },
  'ignores SIGTERM and SIGINT': {
    onStart() {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
      process.stdin.on('end', forever)
    },
    onPrompt() {
      say('hello')
      forever()
    },
  },
  'never replies': { onRequest() {}, onPrompt() {} },
  'replies twice': {
    onRequest(line) {
      reply(line)
      reply(line)
    },
  },
  'answers unknown requests': {
    onPrompt() {
      for (let at = 0; at < 50; at += 1) reply({ request_id: `nobody asked ${at}` })
      finish()
    },
  },
  'floods stderr': {
    onPrompt() {
      for (let at = 0; at < 200; at += 1) process.stderr.write(`${'e'.repeat(20_000)}\n`)
      finish()
    },
  },
  'floods stdout': {
    onPrompt() {
      for (let at = 0; at < 4000; at += 1) say(`message ${at}`, `msg_${at}`)
      finish()
    },
  },
  'prints unknown lines': {
    onPrompt() {
      for (let at = 0; at < 500; at += 1) print({ type: `unknown_${at}`, at })
      for (const line of ['null', '[]', '42', '"text"', '{}', '\u0000']) write(`${line}\n`)
      finish()
    },
  },
  'uses the same ids again': {
    onPrompt() {
      for (let at = 0; at < 20; at += 1) {
        say('again', 'msg_same')
        use('toolu_same')
        stream({ type: 'message_start', message: message('msg_same', []) })
      }
      finish()
      finish()
    },
  },
  'prints events in the wrong order': {
    onPrompt() {
      stream({ type: 'message_stop' })
      stream({ type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'x' } })
      stream({ type: 'content_block_stop', index: 4 })
      const content = [{ type: 'tool_result', tool_use_id: 'toolu_never', content: 'x' }]
      print({ type: 'user', message: { role: 'user', content } })
      finish()
      say('after the end')
      finish()
    },
  },
  'prints huge numbers': {
    onPrompt() {
      const huge = '1e999,"output_tokens":99999999999999999999999'
      write(
        `{"type":"assistant","message":{"id":"m1","role":"assistant","content":[],"usage":{"input_tokens":${huge}}}}\n`,
      )
      stream({
        type: 'content_block_delta',
        index: 2 ** 53,
        delta: { type: 'text_delta', text: 'x' },
      })
      print({ type: 'result', subtype: 'success', total_cost_usd: -1e308, duration_ms: -1, usage })
    },
  },
  'prints deep JSON': {
    onPrompt() {
      write(`{"type":"assistant","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n`)
      use('toolu_deep', JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`))
      finish()
    },
  },
  'prints control characters': {
    onPrompt() {
      say('\u0000\u0007\u001b[2J\u2028\u2029\ud800\udfff data: x\n\nid: 1\n\nevent: y')
      finish()
    },
  },
  'asks with the same approval id twice': {
    onPrompt() {
      use('toolu_1')
      ask('same', 'toolu_1')
      ask('same', 'toolu_1')
    },
  },
  'asks and exits': {
    onPrompt() {
      use('toolu_1')
      ask('r1', 'toolu_1')
      process.stdout.write('', () => exit(0))
    },
  },
  'leaves a child that prints after the exit': {
    onPrompt() {
      say('hello')
      const line = JSON.stringify({ type: 'assistant', message: message('msg_2', []), ...session })
      leave(
        `setInterval(() => process.stdout.write(${JSON.stringify(`${line}\n`)}), 50)`,
        'inherit',
      )
      setTimeout(() => exit(0), 200)
    },
  },
  'leaves a daemon that holds stderr': {
    onPrompt() {
      say('hello')
      leave('setInterval(() => {}, 1 << 30)', ['ignore', 'ignore', 'inherit'])
      setTimeout(() => exit(0), 200)
    },
  },
  'does not read its input': {
    onStart() {
      init()
      process.stdin.pause()
      forever()
    },
    isDeaf: true,
  },
}

const name = readFileSync('behaviour', 'utf8').trim()
const { onStart, onPrompt, onRequest = reply, isDeaf = false } = behaviours[name]
process.stdout.on('error', () => {})
onStart?.()
if (!isDeaf) {
  init()
  let pending = ''
  const accept = (line) => {
    if (line.type === 'control_request') return onRequest(line)
    if (line.type !== 'user') return
    if (onPrompt) return onPrompt()
    say('hello')
    finish()
  }
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (pending + chunk).split('\n')
    pending = lines.pop()
    for (const line of lines) accept(JSON.parse(line))
  })
}
