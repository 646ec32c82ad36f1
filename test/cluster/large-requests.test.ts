import { expect, onTestFinished, test } from 'vitest'
import { createPeers } from '../../src/cluster/peers.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { namesOf } from '../../src/log/jetstream/subjects.ts'
import { describeWithNats } from '../support/describe-with-nats.ts'
import { startProxy } from '../support/tcp-proxy.ts'

const large = 'x'.repeat(2_000_000)
const options = { deadlineMs: 10_000, signal: new AbortController().signal }

describeWithNats('a request that is too large for a message', (nats) => {
  /** Two nodes, and the objects beside their messages. `onPut` is called when one is stored. */
  const startPeers = async (onPut: (name: string) => Promise<void> = async () => {}) => {
    const proxy = await startProxy(nats.urls[0] ?? '')
    onTestFinished(() => proxy.close())
    const bodies = new Map<string, Uint8Array>()
    const errors: unknown[] = []
    const objects = {
      async put(name: string, bytes: Uint8Array) {
        bodies.set(name, bytes)
        await onPut(name)
      },
      get: async (name: string) => bodies.get(name),
      remove: async (name: string) => void bodies.delete(name),
    }
    const start = async (node: string) => {
      const link = await openLink({ servers: [proxy.url] })
      onTestFinished(() => link.close())
      const onError = (cause: unknown) => void errors.push(cause)
      const peers = createPeers({ node, link, names: namesOf('large'), objects, onError })
      return { peers, link }
    }
    const [one, two] = await Promise.all([start('one'), start('two')])
    two.peers.serve('echo', async (value) => value)
    await two.link.connection.flush()
    return { proxy, bodies, errors, one, two }
  }

  test('reaches another node and comes back, and no object is left', async () => {
    const { one, bodies, errors } = await startPeers()
    const reply = await one.peers.request('two', 'echo', large, options)
    expect(reply).toEqual({ outcome: 'answered', value: large })
    await expect.poll(() => bodies.size).toBe(0)
    expect(errors).toEqual([])
  })

  test('leaves no object when the connection is lost before it is sent', async () => {
    const { proxy, one, bodies } = await startPeers(async () => {
      proxy.set('cut')
      await expect.poll(one.link.isConnected).toBe(false)
    })
    const reply = await one.peers.request('two', 'echo', large, options)
    expect(reply).toEqual({ outcome: 'unreachable' })
    await expect.poll(() => bodies.size).toBe(0)
  })

  test('reports that the body of the reply is lost', async () => {
    const names: string[] = []
    const { one, bodies, errors } = await startPeers(async (name) => {
      names.push(name)
      if (names.length > 1) bodies.delete(name)
    })
    const reply = await one.peers.request('two', 'echo', large, options)
    expect(reply).toEqual({ outcome: 'lost' })
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('is missing') }),
    ])
  })
})
