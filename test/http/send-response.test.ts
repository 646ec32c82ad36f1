import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { sendResponse } from '../../src/http/send-response.ts'
import { patiently } from '../support/patiently.ts'

/** Answers one request with a source, and gives what was reported when the answer is over. */
const answer = async (source: Readable, isGoneFirst: boolean): Promise<unknown[]> => {
  const reported: unknown[] = []
  const server = createServer(async (request, response) => {
    const closed = new Promise<void>((resolve) => request.socket.once('close', () => resolve()))
    client.destroy()
    if (isGoneFirst) await closed
    sendResponse(response, { status: 200, chunks: source }, (cause) => void reported.push(cause))
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const client = get({ host: '127.0.0.1', port: typeof address === 'object' ? address?.port : 0 })
  client.on('error', () => {}) // it was we who left
  await patiently(() => expect(source.closed).toBe(true))
  return reported
}

test.each([
  ['in the middle', false],
  ['before it begins', true],
])('whoever goes away %s does nothing wrong', async (_, isGoneFirst) => {
  const endless = Readable.from(
    (async function* () {
      for (;;) yield 'x'.repeat(65_536)
    })(),
  )
  expect(await answer(endless, isGoneFirst)).toEqual([])
})

test('a source that fails is reported', async () => {
  const failure = new Error('disk')
  const failing = new Readable({ read: () => void failing.destroy(failure) })
  expect(await answer(failing, false)).toEqual([failure])
})
