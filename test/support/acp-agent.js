// Speaks the Agent Client Protocol with a model that repeats the prompt. To “ask” it requests a permission
// first, and says which option was chosen. To “ask twice” the request has two ways to allow once. To “env NAME” it
// says the value of that variable, to “args” its own arguments. To “wait” it says that it waits, and ends its run
// when it is cancelled. To “write” it writes a file.
// To “flood FILE” it prints without end, 100 kB at a time, and adds a byte to the file each time.
import { appendFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const print = (line) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
const say = (text) =>
  print({
    method: 'session/update',
    params: {
      sessionId: 's1',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    },
  })

let prompt
const end = (text, stopReason = 'end_turn') => {
  if (text !== undefined) say(text)
  print({ id: prompt, result: { stopReason } })
}

const askFirst = (options) =>
  print({
    id: 1,
    method: 'session/request_permission',
    params: {
      sessionId: 's1',
      toolCall: { toolCallId: 't1', title: 'touch a', kind: 'execute', status: 'pending' },
      options,
    },
  })

const once = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
]
const twice = [
  { optionId: 'file', name: 'Only this file', kind: 'allow_once' },
  { optionId: 'folder', name: 'The whole folder, once', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  { optionId: 'never', name: 'Never in this folder', kind: 'reject_always' },
]

const flood = (file) => {
  const update = {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: 'x'.repeat(1000) },
  }
  const line = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update } }
  const lines = `${JSON.stringify(line)}\n`.repeat(100)
  process.stdout.write(lines, () => {
    appendFileSync(file, '.')
    setImmediate(flood, file)
  })
}

const run = (text) => {
  const [word, name] = text.split(' ')
  if (word === 'ask') askFirst(name === 'twice' ? twice : once)
  else if (word === 'wait') say('waiting')
  else if (word === 'flood') flood(name)
  else if (word === 'write') {
    writeFileSync('written.txt', 'one\ntwo\n')
    end('Written.')
  } else if (word === 'env') end(`${name}=${process.env[name]}`)
  else end(word === 'args' ? process.argv.slice(2).join(' ') : `You said: ${text}`)
}

const initialized = { protocolVersion: 1, agentCapabilities: {}, authMethods: [] }

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (method === 'initialize') print({ id, result: initialized })
  else if (method === 'session/new') print({ id, result: { sessionId: 's1' } })
  else if (method === 'session/cancel') end(undefined, 'cancelled')
  else if (method === 'session/prompt') {
    prompt = id
    run(params.prompt[0].text)
  } else if (result) end(`chosen: ${result.outcome.optionId}`)
})
