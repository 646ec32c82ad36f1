import { Objm } from '@nats-io/obj'
import { headers } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { createObjectBodies } from '../../../src/log/jetstream/object-bodies.ts'
import { natsMissing, startNats } from '../../support/nats-server.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: objects in NATS: ${missing}`)

const bucket = 'objects'

const open = async () => {
  const nats = await startNats()
  onTestFinished(() => nats.stop())
  const link = await openLink({ servers: nats.urls })
  onTestFinished(() => link.close())
  const store = await new Objm(link.client).create(bucket)
  /** Removes the parts of an object, as the first half of its removal does. */
  const removeParts = async (name: string): Promise<void> => {
    const info = await store.info(name)
    const filter = `$O.${bucket}.C.${info?.nuid}`
    await link.manager.streams.purge(`OBJ_${bucket}`, { filter })
  }
  const consumers = async () =>
    (await link.manager.streams.info(`OBJ_${bucket}`)).state.consumer_count
  /** Stores another size for an object, as a writer that lies would. */
  const setSize = async (name: string, size: number): Promise<void> => {
    const { nuid, chunks, digest } = (await store.info(name)) ?? {}
    const info = JSON.stringify({ name, bucket, nuid, chunks, digest, size })
    const subject = `$O.${bucket}.M.${Buffer.from(name).toString('base64url')}`
    const rollup = headers()
    rollup.set('Nats-Rollup', 'sub')
    await link.client.publish(subject, info, { headers: rollup })
  }
  return {
    store,
    setSize,
    consumers,
    removeParts,
    objects: createObjectBodies(link, store, bucket),
  }
}

describe.skipIf(missing !== undefined)('objects in NATS', () => {
  test('are read as they were written, and leave no consumers behind', async () => {
    const { objects, consumers } = await open()
    const bytes = Buffer.from('ä'.repeat(1_500_000))
    await objects.put('large', bytes)
    await objects.put('empty', new Uint8Array())
    expect(Buffer.compare((await objects.get('large')) ?? Buffer.of(), bytes)).toBe(0)
    expect(await objects.get('empty')).toHaveLength(0)
    expect(await objects.get('other')).toBeUndefined()
    expect(await consumers()).toBe(0)
  })

  test('that are removed while they are read count as absent', async () => {
    const { store, removeParts, objects } = await open()
    await objects.put('replaced', Buffer.from('text'))
    await removeParts('replaced')
    const reading = objects.get('replaced')
    await store.delete('replaced')
    expect(await reading).toBeUndefined()
  }, 20_000)

  test('that are larger than they say are not read', async () => {
    const { setSize, objects } = await open()
    await objects.put('forged', new Uint8Array(3_000_000))
    await setSize('forged', 10)
    await expect(objects.get('forged', 100)).rejects.toMatchObject({ code: 'damaged' })
  })

  test('whose parts are lost count as absent, after some time', async () => {
    const { removeParts, objects } = await open()
    await objects.put('broken', Buffer.from('text'))
    await removeParts('broken')
    expect(await objects.get('broken')).toBeUndefined()
  }, 30_000)
})
