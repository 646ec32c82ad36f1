import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request, and what a test says to it. */
export interface Visit {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingMessage['headers']
  /** Parsed; undefined where there is none. */
  body: unknown
  /** Begins a stream and writes to it; each call is one write. */
  send(...texts: (string | Uint8Array)[]): void
  /** Ends the stream in good order. */
  end(): void
  /** Ends the connection at once, as a network does. */
  cut(): void
  json(value: unknown, status?: number, headers?: Record<string, string>): void
  /** Settles when the client is gone. */
  closed: Promise<void>
}

/** A real server on a free port, that does nothing until a test says what. */
export const openServer = async (port = 0) => {
  const arrived: Visit[] = []
  const waiting: ((visit: Visit) => void)[] = []
  const server = createServer((request, response) => {
    void visitOf(request, response).then((visit) => {
      const first = waiting.shift()
      if (first) first(visit)
      else arrived.push(visit)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = addressOf(server.address())
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    /** The next request. */
    async visit(): Promise<Visit> {
      const first = arrived.shift()
      return first ?? new Promise((resolve) => waiting.push(resolve))
    },
    /** How many requests came that no test has looked at. */
    unseen: () => arrived.length,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type TestServer = Awaited<ReturnType<typeof openServer>>

const addressOf = (address: string | AddressInfo | null): AddressInfo => {
  if (typeof address === 'object' && address) return address
  throw new Error('the server has no port')
}

const visitOf = async (request: IncomingMessage, response: ServerResponse): Promise<Visit> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks).toString()
  const begin = () => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  }
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
    send(...texts) {
      begin()
      for (const each of texts) response.write(each)
    },
    end() {
      begin()
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
