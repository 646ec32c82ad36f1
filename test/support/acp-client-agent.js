// An ACP agent that uses the files and terminals of its client. The prompt is a list of steps as JSON; each is
// a request to the client, or something that the agent says. It answers with what the client returned.
//
//   ["request", method, params]   a request; its answer is part of the text. `$SESSION` and `$T1` are replaced
//   ["start", method, params]     a request whose answer is awaited later, by ["await"]
//   ["update", update]            a session/update
//   ["cancelFirst"]               withdraws the first request that is open
import { createInterface } from 'node:readline'

const print = (line) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
const update = (fields) =>
  print({ method: 'session/update', params: { sessionId: 's1', update: fields } })
const say = (text) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })

let nextId = 100
const waiting = new Map()
const terminals = []

const request = (method, params) => {
  nextId += 1
  const id = nextId
  print({ id, method, params: { sessionId: 's1', ...withTerminals(params) } })
  return new Promise((resolve) => waiting.set(id, resolve)).then((answer) => {
    const { terminalId } = answer.result ?? {}
    if (terminalId) terminals.push(terminalId)
    return answer
  })
}

/** Replaces `$T1` by the id of the first terminal, in all strings. */
const withTerminals = (value) =>
  JSON.parse(
    JSON.stringify(value).replace(/\$T(\d)/g, (_, number) => terminals[number - 1] ?? 'none'),
  )

const run = async (steps) => {
  const answers = []
  const started = []
  for (const [kind, ...rest] of steps) {
    if (kind === 'request') answers.push(await request(...rest))
    else if (kind === 'start') started.push(request(...rest))
    else if (kind === 'await') answers.push(...(await Promise.all(started.splice(0))))
    else if (kind === 'update') update(withTerminals(rest[0]))
    else if (kind === 'cancelFirst') {
      const [requestId] = waiting.keys()
      print({ method: '$/cancel_request', params: { requestId } })
    }
  }
  say(JSON.stringify(answers))
}

let clientCapabilities
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === 'initialize') {
    clientCapabilities = params.clientCapabilities
    const agentInfo = { name: process.env.ACP_TEST_NAME ?? 'test-agent', version: '1.0.0' }
    print({ id, result: { protocolVersion: 1, agentCapabilities: {}, agentInfo } })
  } else if (method === 'session/new') print({ id, result: { sessionId: 's1', modes } })
  else if (method === 'session/set_mode') print({ id, result: {} })
  else if (method === 'session/prompt') {
    const [{ text }] = params.prompt
    if (text === 'capabilities') say(JSON.stringify(clientCapabilities))
    else await run(JSON.parse(text))
    print({ id, result: { stopReason: 'end_turn' } })
  } else if (method === 'session/cancel') {
    for (const [each, resolve] of waiting) {
      waiting.delete(each)
      resolve({ error: 'cancelled' })
    }
  } else if (method === undefined) {
    const resolve = waiting.get(id)
    waiting.delete(id)
    resolve?.(error ? { error } : { result })
  }
})

const modes = {
  currentModeId: 'default',
  availableModes: ['default', 'autoEdit'].map((id) => ({ id, name: id })),
}
