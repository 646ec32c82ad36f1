import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createPeers } from '../../src/cluster/peers.ts'
import { createReplyBook } from '../../src/cluster/reply-book.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { namesOf } from '../../src/log/jetstream/subjects.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { startProxy } from '../support/tcp-proxy.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: replies that get lost: ${missing}`)

/** These requests are small. */
const unused = async () => {
  throw new Error('No request here is an object.')
}

describe.skipIf(missing !== undefined)('a reply that gets lost with the connection', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats(1, { advertises: false })
  })
  afterAll(() => nats.stop())

  const startPeer = async (node: string, onError = (_: unknown): void => {}) => {
    const proxy = await startProxy(nats.urls[0] ?? '')
    const link = await openLink({ servers: [proxy.url] })
    onTestFinished(async () => {
      await link.close()
      await proxy.close()
    })
    const objects = { put: unused, get: unused, remove: unused }
    const names = namesOf('replies')
    const peers = createPeers({ node, link, names, objects, onError })
    await link.connection.flush()
    return { proxy, link, peers }
  }

  test('messages that are no requests are ignored, and reported once', async () => {
    const errors: unknown[] = []
    const [one, two] = await Promise.all([
      startPeer('one'),
      startPeer('two', (cause) => void errors.push(cause)),
    ])
    two.peers.serve('work', async (value) => value)
    await two.link.connection.flush()
    const subject = namesOf('replies').requestsTo('two', 'work')
    for (const text of ['', '{', 'null', '1', '[]', '{"id":5}', '{"object":{}}'])
      one.link.connection.publish(subject, text)
    const options = { deadlineMs: 60_000, signal: new AbortController().signal }
    const reply = await one.peers.request('two', 'work', 'still here', options)
    expect(reply).toEqual({ outcome: 'answered', value: 'still here' })
    expect(errors).toHaveLength(1)
  })

  test('is asked for again, and the request runs once', async () => {
    const [one, two] = await Promise.all([startPeer('one'), startPeer('two')])
    const begun = Promise.withResolvers<void>()
    const work = Promise.withResolvers<string>()
    let runs = 0
    two.peers.serve('work', () => {
      runs += 1
      begun.resolve()
      return work.promise
    })
    await two.link.connection.flush()
    const options = { deadlineMs: 60_000, signal: new AbortController().signal }
    const reply = one.peers.request('two', 'work', {}, options)
    await begun.promise
    two.proxy.set('cut')
    await expect.poll(two.link.isConnected).toBe(false)
    work.resolve('done')
    two.proxy.set('open')
    expect(await reply).toEqual({ outcome: 'answered', value: 'done' })
    expect(runs).toBe(1)
  }, 20_000)

  test('is lost when it does not fit into the answer, and nobody waits for it any longer', async () => {
    const [one, two] = await Promise.all([startPeer('one'), startPeer('two')])
    const begun = Promise.withResolvers<void>()
    const work = Promise.withResolvers<string>()
    two.peers.serve('work', () => {
      begun.resolve()
      return work.promise
    })
    two.peers.serve('other', async () => 'works')
    await two.link.connection.flush()
    const signal = new AbortController().signal
    const reply = one.peers.request('two', 'work', {}, { deadlineMs: 60_000, signal })
    await begun.promise
    two.proxy.set('cut')
    await expect.poll(two.link.isConnected).toBe(false)
    work.resolve('"'.repeat(500_000))
    two.proxy.set('open')
    expect(await reply).toEqual({ outcome: 'lost' })
    const other = await one.peers.request('two', 'other', {}, { deadlineMs: 4000, signal })
    expect(other).toEqual({ outcome: 'answered', value: 'works' })
  }, 20_000)
})

test('a request that its sender has given up is not run when it arrives', async () => {
  const book = createReplyBook()
  expect(book.replyTo('a')).toEqual({ state: 'refused' })
  let runs = 0
  expect(await book.run('a', async () => `run ${++runs}`)).toBeUndefined()
  expect(await book.run('b', async () => `run ${++runs}`)).toBe('run 1')
  expect(book.replyTo('b')).toEqual({ state: 'done', reply: 'run 1' })
})

test('only some replies are remembered, and what runs is never forgotten', async () => {
  const book = createReplyBook({ keptMs: 60_000, length: 10 })
  const work = Promise.withResolvers<string>()
  const running = book.run('slow', () => work.promise)
  for (const id of ['a', 'b', 'c']) await book.run(id, async () => 'x'.repeat(6))
  expect(book.replyTo('a')).toEqual({ state: 'forgotten' })
  expect(book.replyTo('b')).toEqual({ state: 'forgotten' })
  expect(book.replyTo('c')).toMatchObject({ state: 'done' })
  expect(book.replyTo('slow')).toEqual({ state: 'running' })
  work.resolve('end')
  expect(await running).toBe('end')
})

test('a request that its sender has given up is not run, also after long replies to others', async () => {
  const book = createReplyBook({ keptMs: 60_000, length: 10 })
  expect(book.replyTo('late')).toEqual({ state: 'refused' })
  await book.run('other', async () => 'x'.repeat(20))
  let runs = 0
  expect(await book.run('late', async () => `run ${++runs}`)).toBeUndefined()
  expect(runs).toBe(0)
})
