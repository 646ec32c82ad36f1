import { expect, onTestFinished, test } from 'vitest'
import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { describeWithNats } from '../../support/describe-with-nats.ts'

describeWithNats('a call about a stream that the servers do not have', (nats) => {
  const open = async () => {
    const link = await openLink({ servers: nats.urls })
    onTestFinished(() => link.close())
    return link
  }

  test('waits a moment: servers that have just started may not know their streams yet', async () => {
    const link = await open()
    let tries = 0
    const info = await link.insist(async () => {
      tries += 1
      if (tries === 3) await link.manager.streams.add({ name: 'late', subjects: ['late'] })
      return link.manager.streams.info('late')
    })
    expect(tries).toBe(3)
    expect(info.config.name).toBe('late')
  })

  test('fails after that, and the reason names it', async () => {
    const link = await open()
    const missing = link.insist(() => link.manager.streams.info('never'))
    await expect(missing).rejects.toMatchObject({
      code: 'log_failed',
      message: expect.stringContaining('was deleted'),
    })
  })
})
