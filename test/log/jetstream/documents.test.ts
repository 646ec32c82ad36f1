import { Kvm } from '@nats-io/kv'
import { Objm } from '@nats-io/obj'
import { expect, onTestFinished, test } from 'vitest'
import { createDocuments } from '../../../src/log/jetstream/documents.ts'
import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { createObjectBodies } from '../../../src/log/jetstream/object-bodies.ts'
import { LogFault } from '../../../src/log/log-fault.ts'
import { describeWithNats } from '../../support/describe-with-nats.ts'
import { type NatsCluster, startNats } from '../../support/nats-server.ts'

const large = (character: string): string => character.repeat(300_000)

describeWithNats('records that are too large for a message', (nats) => {
  const openBucket = async (name: string, { urls: servers }: Pick<NatsCluster, 'urls'> = nats) => {
    const link = await openLink({ servers })
    onTestFinished(() => link.close())
    const bucket = await new Kvm(link.client).create(name, { history: 1, allow_direct: false })
    const store = await new Objm(link.client).create(`${name}_objects`)
    const objects = createObjectBodies(link, store, `${name}_objects`)
    const open = (kv = bucket, bodies = objects) => createDocuments(link, kv, bodies)
    return { bucket, objects, open }
  }

  test('one whose write got no answer keeps its object, because it may be stored', async () => {
    const { bucket, open } = await openBucket('unsure')
    // The server has stored it, and every answer is lost.
    const silent = new Proxy(bucket, {
      get: (target, name) =>
        name === 'put'
          ? async (...values: Parameters<typeof bucket.put>) => {
              await bucket.put(...values)
              throw new LogFault('unreachable', 'NATS did not answer.')
            }
          : Reflect.get(target, name).bind(target),
    })
    const change = open(silent).change('k', () => large('a'))
    await expect(change).rejects.toMatchObject({ code: 'unreachable' })
    expect((await open().get('k'))?.text).toBe(large('a'))
  })

  test('one that is replaced while it is read is read again', async () => {
    const { objects, open } = await openBucket('replaced')
    const writer = open()
    await writer.change('k', () => large('a'))
    let isReplaced = false
    const reader = open(undefined, {
      ...objects,
      async get(name) {
        if (!isReplaced) await writer.change('k', () => large('b'))
        isReplaced = true
        return objects.get(name)
      },
    })
    expect((await reader.get('k'))?.text).toBe(large('b'))
  })

  test('one fits when the server allows smaller messages', async () => {
    const small = await startNats(1, { config: 'max_payload: 65536' })
    onTestFinished(() => small.stop())
    const { open } = await openBucket('small', small)
    for (const length of [10_000, 50_000, 100_000, 300_000]) {
      const text = JSON.stringify({ text: 'é"'.repeat(length / 2) })
      const key = `i.setting.${length}`
      await open().change(key, () => text)
      expect((await open().get(key))?.text).toBe(text)
    }
  })
})
