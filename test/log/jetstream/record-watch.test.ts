import { Kvm, type KvWatchEntry } from '@nats-io/kv'
import { Objm } from '@nats-io/obj'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBucketReader } from '../../../src/log/jetstream/bucket-reader.ts'
import { createDocuments } from '../../../src/log/jetstream/documents.ts'
import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { createObjectBodies } from '../../../src/log/jetstream/object-bodies.ts'
import { openRecordWatch } from '../../../src/log/jetstream/record-watch.ts'
import { natsMissing, startNats } from '../../support/nats-server.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: the watch of records: ${missing}`)

describe.skipIf(missing !== undefined)('the watch of records', () => {
  test('applies a record once, although the comparison was faster than the new watch', async () => {
    const nats = await startNats()
    onTestFinished(() => nats.stop())
    const link = await openLink({ servers: nats.urls })
    onTestFinished(() => link.close())
    const bucket = await new Kvm(link.client).create('watched', { history: 1 })
    const store = await new Objm(link.client).create('watched_objects')
    const documents = createDocuments(
      link,
      bucket,
      createObjectBodies(link, store, 'watched_objects'),
    )
    /** The first watch loses the record. The second one waits before its mark. */
    let watches = 0
    const released = Promise.withResolvers<void>()
    const collected = Promise.withResolvers<void>()
    const slowed = async function* (entries: AsyncIterable<KvWatchEntry>, isFirst: boolean) {
      for await (const entry of entries) {
        if (isFirst && entry.key === 'i.setting.late') continue
        if (!isFirst && entry.key.startsWith('i.mark.')) await released.promise
        yield entry
        if (!isFirst) collected.resolve()
      }
    }
    const slow = new Proxy(bucket, {
      get: (target, name) =>
        name === 'watch'
          ? async (...options: Parameters<typeof bucket.watch>) => {
              watches += 1
              const real = await bucket.watch(...options)
              const entries = slowed(real, watches === 1)
              return { stop: () => real.stop(), [Symbol.asyncIterator]: () => entries }
            }
          : Reflect.get(target, name).bind(target),
    })
    const reader = createBucketReader(link, { recordBucket: 'watched' })
    const applied: string[] = []
    const watch = await openRecordWatch({
      ...{ link, bucket: slow, documents },
      reader: {
        ...reader,
        async *after(...range) {
          await collected.promise
          yield* reader.after(...range)
        },
      },
      async apply(changes) {
        for (const { key } of changes) applied.push(key)
      },
      onError: (cause) => expect.unreachable(String(cause)),
    })
    await documents.change('i.setting.late', () => '{}')
    await expect.poll(() => applied).toEqual(['i.setting.late'])
    released.resolve()
    await watch.synced()
    await documents.change('i.setting.next', () => '{}')
    await expect.poll(() => applied).toContain('i.setting.next')
    expect(watches).toBeGreaterThan(1)
    expect(applied).toEqual(['i.setting.late', 'i.setting.next'])
    await watch.close()
  })

  test('finds a record that the first watch has left out', async () => {
    const nats = await startNats()
    onTestFinished(() => nats.stop())
    const link = await openLink({ servers: nats.urls })
    onTestFinished(() => link.close())
    const bucket = await new Kvm(link.client).create('left', { history: 1 })
    const store = await new Objm(link.client).create('left_objects')
    const documents = createDocuments(link, bucket, createObjectBodies(link, store, 'left_objects'))
    await documents.change('i.setting.left', () => '{}')
    const without = async function* (entries: AsyncIterable<KvWatchEntry>) {
      for await (const entry of entries) if (entry.key !== 'i.setting.left') yield entry
    }
    const leaky = new Proxy(bucket, {
      get: (target, name) =>
        name === 'watch'
          ? async (...options: Parameters<typeof bucket.watch>) => {
              const real = await bucket.watch(...options)
              if (options[0]?.headers_only) return real
              return { stop: () => real.stop(), [Symbol.asyncIterator]: () => without(real) }
            }
          : Reflect.get(target, name).bind(target),
    })
    const applied: string[] = []
    const watch = await openRecordWatch({
      ...{ link, bucket: leaky, documents },
      reader: createBucketReader(link, { recordBucket: 'left' }),
      async apply(changes) {
        for (const { key } of changes) applied.push(key)
      },
      onError: (cause) => expect.unreachable(String(cause)),
    })
    onTestFinished(() => watch.close())
    await expect.poll(() => applied).toEqual(['i.setting.left'])
  })
})
