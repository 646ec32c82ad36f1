import { Kvm } from '@nats-io/kv'
import { Objm } from '@nats-io/obj'
import { expect, onTestFinished, test } from 'vitest'
import { createBucketReader } from '../../../src/log/jetstream/bucket-reader.ts'
import { createDocuments } from '../../../src/log/jetstream/documents.ts'
import { createEntryApplier } from '../../../src/log/jetstream/entry-applier.ts'
import { createIndexCheck } from '../../../src/log/jetstream/index-check.ts'
import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { createObjectBodies } from '../../../src/log/jetstream/object-bodies.ts'
import { createRevisionWaiters } from '../../../src/log/jetstream/revision-waiters.ts'
import { describeWithNats } from '../../support/describe-with-nats.ts'

describeWithNats('the comparison of the index with the bucket', (nats) => {
  /** A bucket, and an index that is filled by hand. */
  const open = async (name: string) => {
    const link = await openLink({ servers: nats.urls })
    onTestFinished(() => link.close())
    const bucket = await new Kvm(link.client).create(name, { history: 1 })
    const store = await new Objm(link.client).create(`${name}_objects`)
    const documents = createDocuments(
      link,
      bucket,
      createObjectBodies(link, store, `${name}_objects`),
    )
    const index = new Map<string, string>()
    const waiters = createRevisionWaiters()
    const applier = createEntryApplier(
      {
        documents,
        async apply(changes) {
          for (const { key, document } of changes)
            if (document) index.set(key, document.text)
            else index.delete(key)
        },
        onError: (cause) => expect.unreachable(String(cause)),
      },
      waiters,
    )
    const reader = createBucketReader(link, { recordBucket: name })
    const check = createIndexCheck({
      ...{ link, bucket, reader, applier, quietMs: 1 },
      onError: (cause) => expect.unreachable(String(cause)),
    })
    onTestFinished(() => check.close())
    const follow = async () => {
      for await (const entry of reader.after(waiters.reached(), 100))
        await applier.apply([await applier.read(entry)])
    }
    /** As a server does that was damaged: no mark is left. */
    const lose = (key: string) =>
      link.manager.streams.purge(`KV_${name}`, { filter: `$KV.${name}.${key}` })
    return { documents, index, applier, check, follow, lose }
  }
  const put = (text: string) => () => text

  test('adds what was left out, and deletes what was deleted', async () => {
    const { documents, index, applier, check, follow } = await open('left_out')
    for (const key of ['i.setting.a', 'i.setting.b', 'i.setting.c'])
      await documents.change(key, put('"old"'))
    await follow()
    // Left out by the watch: behind them, something else arrives.
    await documents.change('i.setting.b', put('"new"'))
    await documents.change('i.setting.c', () => undefined)
    await documents.change('i.setting.d', put('"new"'))
    const last = await documents.change('i.setting.e', put('"new"'))
    await applier.apply([{ key: 'i.setting.e', revision: last?.revision ?? 0 }])
    check.soon()
    const expected = new Map([
      ['i.setting.a', '"old"'],
      ['i.setting.b', '"new"'],
      ['i.setting.d', '"new"'],
    ])
    await expect.poll(() => index).toEqual(expected)
  })

  test('keeps what the servers do not have, or have older', async () => {
    const { documents, index, applier, check, follow, lose } = await open('lost')
    for (const key of ['i.setting.a', 'i.setting.b']) await documents.change(key, put('"old"'))
    await follow()
    await lose('i.setting.a')
    await applier.applyMissed({
      ...{ key: 'i.setting.b', revision: 99 },
      change: {
        key: 'i.setting.b',
        document: { key: 'i.setting.b', text: '"newer"', revision: 99, order: 1 },
      },
    })
    await documents.change('i.setting.c', put('"left out"'))
    check.soon()
    await expect.poll(() => index.get('i.setting.c')).toBe('"left out"')
    expect(index.get('i.setting.a')).toBe('"old"')
    expect(index.get('i.setting.b')).toBe('"newer"')
  })
})
