import { Kvm } from '@nats-io/kv'
import { Objm } from '@nats-io/obj'
import { expect, onTestFinished, test } from 'vitest'
import { createDocuments } from '../../../src/log/jetstream/documents.ts'
import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { createObjectBodies } from '../../../src/log/jetstream/object-bodies.ts'
import { LogFault } from '../../../src/log/log-fault.ts'
import { describeWithNats } from '../../support/describe-with-nats.ts'

const large = (character: string): string => character.repeat(300_000)

describeWithNats('records that are too large for a message', (nats) => {
  const openBucket = async (name: string) => {
    const link = await openLink({ servers: nats.urls })
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
})
