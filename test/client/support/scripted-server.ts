import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that the server received. The test writes the response. */
export interface ReceivedRequest {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingMessage['headers']
  /** The parsed JSON; undefined when the request has no body. */
  body: unknown
  /** Opens a stream on the first call; writes each text on its own. */
  send(...texts: (string | Uint8Array)[]): void
  /** Ends the stream. */
  end(): void
  /** Breaks the connection. */
  cut(): void
  /** Responds with JSON. */
  json(value: unknown, status?: number, headers?: Record<string, string>): void
  /** Resolves when the connection is closed. */
  closed: Promise<void>
}

/** An HTTP server whose responses are written by the test. */
export interface ScriptedServer {
  url: string
  port: number
  /** Resolves with the next request. */
  nextRequest(): Promise<ReceivedRequest>
  /** How many requests have arrived that no test has read. */
  waitingRequests(): number
  [Symbol.asyncDispose](): Promise<void>
}

/** Default port: any free one. */
export const openScriptedServer = async (port = 0): Promise<ScriptedServer> => {
  const arrived: ReceivedRequest[] = []
  const waiting: ((request: ReceivedRequest) => void)[] = []
  const server = createServer((request, response) => {
    void receive(request, response).then((received) => {
      const resolve = waiting.shift()
      if (resolve) resolve(received)
      else arrived.push(received)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = addressOf(server.address())
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async nextRequest() {
      const first = arrived.shift()
      return first ?? new Promise((resolve) => waiting.push(resolve))
    },
    waitingRequests: () => arrived.length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const addressOf = (address: string | AddressInfo | null): AddressInfo => {
  if (typeof address === 'object' && address) return address
  throw new Error('The server has no port')
}

const receive = async (
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ReceivedRequest> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks).toString()
  const openStream = () => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  }
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
    send(...texts) {
      openStream()
      for (const each of texts) response.write(each)
    },
    end() {
      openStream()
      response.end()
    },
    cut: () => request.socket.destroy(),
    json(value, status = 200, headers = {}) {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(value))
    },
    closed: new Promise((resolve) => response.once('close', () => resolve())),
  }
}
