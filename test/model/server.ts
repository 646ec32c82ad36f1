import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import { frames, type Message, whole } from './message.ts'
import { type MessagesRequest, type Place, placeOf, readRequest } from './request.ts'
import {
  scripts as allScripts,
  nothingMore,
  overloaded,
  type Script,
  type Step,
} from './scripts.ts'
import { writeFrame, writeFrames } from './sse.ts'

/** One request as it came in; `place` and `kind` only where a script answered it. */
export interface Asked {
  method: string
  path: string
  body: string
  place?: Place
  kind?: Step['kind']
}

/** A running model; `close` also cuts the connections that are still open. */
export interface Model {
  url: string
  requests: Asked[]
  close(): Promise<void>
}

/**
 * A model on loopback that follows scripts, so that real agents run without a network and each
 * run says the same. A scenario's failures are spent per server: start one server per test.
 */
export async function startModel(scripts: Record<string, Script> = allScripts): Promise<Model> {
  const requests: Asked[] = []
  const chooseStep = createChooser(scripts)
  let messages = 0

  const server = createServer(async (request, response) => {
    const signal = goneSignal(response)
    const asked = await receive(request)
    if (asked === undefined) return
    requests.push(asked)
    if (!asked.path.endsWith('/v1/messages')) return sendJson(response, 200, minimal(asked.path))
    const read = readRequest(asked.body)
    if (read === undefined) return sendJson(response, 400, notUnderstood)
    const place = placeOf(read)
    const step = place === undefined ? nothingMore : chooseStep(place)
    if (place !== undefined) {
      asked.place = place
      asked.kind = step.kind
    }
    await play(response, step, { read, number: ++messages, step: place?.step ?? 0, signal })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    requests,
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function createChooser(scripts: Record<string, Script>): (place: Place) => Step {
  const counts = new Map<string, number>()
  return ({ scenario, step }) => {
    const script = scripts[scenario]
    if (script === undefined) return unknownScenario(scenario)
    const count = counts.get(scenario) ?? 0
    counts.set(scenario, count + 1)
    return script.failures?.[count] ?? script.steps[step] ?? nothingMore
  }
}

interface Call {
  read: MessagesRequest
  number: number
  step: number
  signal: AbortSignal
}

async function play(response: ServerResponse, step: Step, call: Call): Promise<void> {
  if (step.kind === 'error') return sendJson(response, step.status, step.body)
  const message = messageFor(step, call)
  if (step.kind === 'reply' && !call.read.stream) return sendJson(response, 200, whole(message))
  const delayMs = 'delayMs' in step ? step.delayMs : undefined
  await writeFrames(response, frames(message), { delayMs, signal: call.signal })
  switch (step.kind) {
    case 'reply':
    case 'cut':
      return void response.end()
    case 'overload':
      await writeFrame(response, { ...overloaded })
      return void response.end()
    case 'die':
      return void response.destroy()
    case 'hang': // stays open: the client ends it, or the closing of the server
      return
  }
}

function messageFor(step: Exclude<Step, { kind: 'error' }>, call: Call): Message {
  return {
    number: call.number,
    model: call.read.model,
    step: call.step,
    blocks: step.blocks,
    ...('stopReason' in step && { stopReason: step.stopReason }),
    tools: call.read.tools ?? [],
    unfinished: step.kind !== 'reply',
  }
}

/** Undefined when the client left before it had asked. */
async function receive(request: IncomingMessage): Promise<Asked | undefined> {
  const body = await text(request).catch(() => undefined)
  if (body === undefined) return undefined
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
  return { method: request.method ?? 'GET', path: pathname, body }
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function minimal(path: string): object {
  return path.endsWith('/count_tokens') ? { input_tokens: 1800 } : {}
}

const notUnderstood = {
  type: 'error',
  error: { type: 'invalid_request_error', message: 'This is no Messages request' },
}

function unknownScenario(scenario: string): Step {
  const message = `There is no scenario ${scenario}`
  return {
    kind: 'error',
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error', message } },
  }
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('The model has no port')
  return address.port
}
