import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { sendResponse } from '../../src/http/send-response.ts'
import { eventually } from '../support/eventually.ts'

/** Sends chunks to a client that disconnects, and returns the reported errors. */
const sendToLeavingClient = async (chunks: Readable, isGoneFirst: boolean): Promise<unknown[]> => {
  const reported: unknown[] = []
  const server = createServer(async (request, response) => {
    const closed = new Promise<void>((resolve) => request.socket.once('close', () => resolve()))
    client.destroy()
    if (isGoneFirst) await closed
    sendResponse(response, { status: 200, chunks }, (cause) => void reported.push(cause))
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const client = get({ host: '127.0.0.1', port: typeof address === 'object' ? address?.port : 0 })
  client.on('error', () => {}) // from the disconnect
  await eventually(() => expect(chunks.closed).toBe(true))
  return reported
}

test.each([
  ['during the response', false],
  ['before it starts', true],
])('a client that disconnects %s is not reported as an error', async (_, isGoneFirst) => {
  const endless = Readable.from(
    (async function* () {
      for (;;) yield 'x'.repeat(65_536)
    })(),
  )
  expect(await sendToLeavingClient(endless, isGoneFirst)).toEqual([])
})

test('chunks that fail are reported', async () => {
  const failure = new Error('disk')
  const failing = new Readable({ read: () => void failing.destroy(failure) })
  expect(await sendToLeavingClient(failing, false)).toEqual([failure])
})
