import { Objm } from '@nats-io/obj'
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
  return { store, consumers, removeParts, objects: createObjectBodies(link, store, bucket) }
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

  test('whose parts do not arrive are reported', async () => {
    const { removeParts, objects } = await open()
    await objects.put('broken', Buffer.from('text'))
    await removeParts('broken')
    await expect(objects.get('broken')).rejects.toMatchObject({ code: 'unreachable' })
  }, 30_000)
})
