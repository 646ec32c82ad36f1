import { DiscardPolicy } from '@nats-io/jetstream'
import { expect, test } from 'vitest'
import { openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { openIndex } from '../../../src/log/jetstream/open-index.ts'
import { describeWithNats } from '../../support/describe-with-nats.ts'
import { session, temporaryDirectory, usageEvent } from '../samples.ts'

describeWithNats('closing a log in NATS', (nats) => {
  test('ends everything, although the last sums of cost find no space', async () => {
    const directory = temporaryDirectory('close')
    const errors: unknown[] = []
    const options = { servers: nats.urls, onError: (cause: unknown) => void errors.push(cause) }
    const log = await openJetStreamLog(directory, options)
    await log.sessions.create(session('s'))
    const { manager } = log.link
    const stream = `KV_${log.names.recordBucket}`
    const { config, state } = await manager.streams.info(stream)
    const limit = { max_bytes: state.bytes, discard: DiscardPolicy.New }
    await manager.streams.update(stream, { ...config, ...limit })
    await log.append('s', [usageEvent('s', 1, 0, { opus: { input: 1, costUsd: 1 } })])
    await log.close()
    expect(errors).toEqual([expect.objectContaining({ code: 'disk_full' })])
    expect(log.link.connection.isClosed()).toBe(true)
    // The directory is not locked any more.
    await (await openIndex(directory)).close()
  })
})
