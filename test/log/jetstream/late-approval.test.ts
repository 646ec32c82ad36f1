import { expect, onTestFinished, test } from 'vitest'
import { openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { describeWithNats } from '../../support/describe-with-nats.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { approval, session, temporaryDirectory } from '../samples.ts'

describeWithNats('an approval that is decided while NATS is away', (nats) => {
  const openLog = async (server: string) => {
    const log = await openJetStreamLog(temporaryDirectory('node'), { servers: [server] })
    onTestFinished(() => log.close())
    return log
  }

  test('is not pending any more when NATS is back', async () => {
    const server = nats.urls[0] ?? ''
    const proxy = await startProxy(server)
    onTestFinished(() => proxy.close())
    const log = await openLog(proxy.url)
    await log.sessions.create(session('s'))
    await log.approvals.put(approval('a', 's'))
    const reader = await openLog(server)
    proxy.set('cut')
    const outcome = approval('a', 's', { status: 'answered', action: 'allow', resolvedAt: 2000 })
    await expect(log.approvals.put(outcome)).rejects.toMatchObject({ code: 'unreachable' })
    expect(await reader.approvals.get('a')).toMatchObject({ status: 'pending' })
    proxy.set('open')
    await expect.poll(() => reader.approvals.get('a')).toEqual(outcome)
    await expect.poll(() => log.approvals.get('a')).toEqual(outcome)
  }, 60_000)
})
