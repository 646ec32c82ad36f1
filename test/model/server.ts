import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import { chatApi } from './chat-api.ts'
import type { Dialect } from './dialect.ts'
import { geminiApi } from './gemini-api.ts'
import { inputTokens, type Message, outputTokens } from './message.ts'
import { messagesApi } from './messages-api.ts'
import type { Call, ScriptPosition } from './request.ts'
import { responsesApi } from './responses-api.ts'
import {
  type ApiError,
  scripts as allScripts,
  nothingMore,
  overloaded,
  type Script,
  type Step,
} from './scripts.ts'
import { writeFrame, writeFrames } from './sse.ts'

/** The APIs that the model speaks. A new one is a file and its name here. */
const dialects: readonly Dialect[] = [messagesApi, responsesApi, chatApi, geminiApi]

/** A request that arrived; `position` and `kind` are set if a script answered it. */
export interface ModelRequest {
  method: string
  path: string
  body: string
  position?: ScriptPosition
  kind?: Step['kind']
}

/** The usage of an answer. */
export interface ServedUsage {
  model: string
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  /** The answer was complete. Otherwise the agent only has the usage of its beginning. */
  isWhole: boolean
}

/** A running model; `close` also closes open connections. */
export interface Model {
  url: string
  requests: ModelRequest[]
  /** The usage of each answer, in their order. */
  served: ServedUsage[]
  close(): Promise<void>
}

/**
 * Starts a model on loopback that follows scripts, so that real agents run without a network and
 * every run is the same. A scenario's failures happen once per server: start one server per test.
 */
export async function startModel(scripts: Record<string, Script> = allScripts): Promise<Model> {
  const requests: ModelRequest[] = []
  const served: ServedUsage[] = []
  const chooseStep = createChooser(scripts)
  let messages = 0

  const server = createServer(async (request, response) => {
    const signal = disconnectSignal(response)
    const received = await receive(request)
    if (received === undefined) return
    requests.push(received)
    const { path, body } = received
    const dialect = dialects.find((each) => each.answers(path))
    if (dialect === undefined) return sendJson(response, 200, minimal(path))
    const call = dialect.read(body, path)
    if (call === undefined) return sendJson(response, 400, dialect.error(invalidRequest, 400))
    const { position } = call
    const step = position === undefined ? nothingMore : chooseStep(position)
    if (position !== undefined) {
      received.position = position
      received.kind = step.kind
    }
    await respond(response, step, { dialect, call, number: ++messages, signal, served })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    requests,
    served,
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
  dialect: Dialect
  call: Call
  number: number
  signal: AbortSignal
  served: ServedUsage[]
}

async function respond(response: ServerResponse, step: Step, asked: ResponseContext) {
  const { dialect, call, signal } = asked
  if (step.kind === 'error')
    return sendJson(response, step.status, dialect.error(step.body, step.status))
  const message = messageFor(step, asked)
  asked.served.push(usageOf(message))
  if (step.kind === 'reply' && !call.isStreamed)
    return sendJson(response, 200, dialect.whole(message))
  const delayMs = 'delayMs' in step ? step.delayMs : undefined
  await writeFrames(response, dialect.frames(message), { delayMs, signal })
  switch (step.kind) {
    case 'reply':
    case 'cut':
      return void response.end()
    case 'overload': {
      const failure = dialect.failure(overloaded)
      if (failure) await writeFrame(response, failure)
      return void response.end()
    }
    case 'die':
      return void response.destroy()
    case 'hang': // stays open until the client or the server closes it
      return
  }
}

function messageFor(
  step: Exclude<Step, { kind: 'error' }>,
  { call, number }: ResponseContext,
): Message {
  return {
    number,
    model: call.model,
    step: call.position?.step ?? 0,
    blocks: step.blocks,
    ...('stopReason' in step && { stopReason: step.stopReason }),
    tools: call.tools,
    cwd: call.cwd,
    unfinished: step.kind !== 'reply',
  }
}

function usageOf(message: Message): ServedUsage {
  const input = inputTokens(message.step)
  return {
    model: message.model,
    input: input.input_tokens,
    output: message.unfinished ? 1 : outputTokens(message),
    cacheRead: input.cache_read_input_tokens,
    cacheWrite: input.cache_creation_input_tokens,
    isWhole: !message.unfinished,
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

const invalidRequest: ApiError = {
  type: 'error',
  error: { type: 'invalid_request_error', message: 'The model cannot read this request' },
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
