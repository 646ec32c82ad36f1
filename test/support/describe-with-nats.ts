import { afterAll, beforeAll, describe } from 'vitest'
import { type NatsCluster, natsMissing, startNats } from './nats-server.ts'

/**
 * Tests with a NATS server that runs while they do. Where there is no nats-server, they are skipped, and the
 * reason is printed.
 */
export const describeWithNats = (title: string, tests: (nats: NatsCluster) => void): void => {
  const missing = natsMissing()
  if (missing !== undefined) console.log(`skipped: ${title}: ${missing}`)
  describe.skipIf(missing !== undefined)(title, () => {
    let started: NatsCluster | undefined
    const current = (): NatsCluster => {
      if (!started) throw new Error('The NATS server runs only during the tests.')
      return started
    }
    beforeAll(async () => {
      started = await startNats()
    })
    afterAll(() => started?.stop())
    tests({
      get servers() {
        return current().servers
      },
      get urls() {
        return current().urls
      },
      stop: () => current().stop(),
    })
  })
}
