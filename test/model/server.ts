import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import { frames, type Message, whole } from './message.ts'
import { type MessagesRequest, positionOf, readRequest, type ScriptPosition } from './request.ts'
import {
  scripts as allScripts,
  nothingMore,
  overloaded,
  type Script,
  type Step,
} from './scripts.ts'
import { writeFrame, writeFrames } from './sse.ts'

/** A request that arrived; `position` and `kind` are set if a script answered it. */
export interface ModelRequest {
  method: string
  path: string
  body: string
  position?: ScriptPosition
  kind?: Step['kind']
}

/** A running model; `close` also closes open connections. */
export interface Model {
  url: string
  requests: ModelRequest[]
  close(): Promise<void>
}

/**
 * Starts a model on loopback that follows scripts, so that real agents run without a network and
 * every run is the same. A scenario's failures happen once per server: start one server per test.
 */
export async function startModel(scripts: Record<string, Script> = allScripts): Promise<Model> {
  const requests: ModelRequest[] = []
  const chooseStep = createChooser(scripts)
  let messages = 0

  const server = createServer(async (request, response) => {
    const signal = disconnectSignal(response)
    const received = await receive(request)
    if (received === undefined) return
    requests.push(received)
    const { path, body } = received
    if (!path.endsWith('/v1/messages')) return sendJson(response, 200, minimal(path))
    const read = readRequest(body)
    if (read === undefined) return sendJson(response, 400, invalidRequest)
    const position = positionOf(read)
    const step = position === undefined ? nothingMore : chooseStep(position)
    if (position !== undefined) {
      received.position = position
      received.kind = step.kind
    }
    await respond(response, step, { read, number: ++messages, step: position?.step ?? 0, signal })
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

function createChooser(scripts: Record<string, Script>): (position: ScriptPosition) => Step {
  const counts = new Map<string, number>()
  return ({ scenario, step }) => {
    const script = scripts[scenario]
    if (script === undefined) return unknownScenario(scenario)
    const count = counts.get(scenario) ?? 0
    counts.set(scenario, count + 1)
    return script.failures?.[count] ?? script.steps[step] ?? nothingMore
  }
}

interface ResponseContext {
  read: MessagesRequest
  number: number
  step: number
  signal: AbortSignal
}

async function respond(response: ServerResponse, step: Step, call: ResponseContext): Promise<void> {
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
    case 'hang': // stays open until the client or the server closes it
      return
  }
}

function messageFor(step: Exclude<Step, { kind: 'error' }>, call: ResponseContext): Message {
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

/** Undefined if the client disconnected before the request was complete. */
async function receive(request: IncomingMessage): Promise<ModelRequest | undefined> {
  const body = await text(request).catch(() => undefined)
  if (body === undefined) return undefined
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
  return { method: request.method ?? 'GET', path: pathname, body }
}

function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function minimal(path: string): object {
  return path.endsWith('/count_tokens') ? { input_tokens: 1800 } : {}
}

const invalidRequest = {
  type: 'error',
  error: { type: 'invalid_request_error', message: 'This is not a Messages request' },
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
