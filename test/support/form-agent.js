// Speaks the Agent Client Protocol. To “form” it asks for a name, a size and a colour, to “url” it asks to open
// an address.
// It then prints the response that it got.
import { createInterface } from 'node:readline'

const print = (line) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)

let prompt
const end = (text) => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }
  print({ method: 'session/update', params: { sessionId: 's1', update } })
  print({ id: prompt, result: { stopReason: 'end_turn' } })
}

const requestedSchema = {
  type: 'object',
  required: ['name', 'size'],
  properties: {
    name: { type: 'string', title: 'Name', description: 'How is it called?' },
    size: { type: 'integer', title: 'Size', minimum: 1, maximum: 5 },
    colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'] },
  },
}

const requests = {
  form: { mode: 'form', message: 'About your garden.', requestedSchema },
  url: {
    mode: 'url',
    message: 'Log in to the garden.',
    url: 'https://example.org/login?state=1',
    elicitationId: 'e1',
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (method === 'initialize')
    print({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } })
  else if (method === 'session/new') print({ id, result: { sessionId: 's1' } })
  else if (method === 'session/cancel') print({ id: prompt, result: { stopReason: 'cancelled' } })
  else if (method === 'session/prompt') {
    prompt = id
    const request = requests[params.prompt[0].text]
    if (request)
      print({ id: 1, method: 'elicitation/create', params: { sessionId: 's1', ...request } })
    else end('Type form or url.')
  } else if (result) end(`got ${JSON.stringify(result)}`)
})
