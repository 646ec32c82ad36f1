import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type JetStreamLog, openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { natsOptionsOf } from '../../../src/log/jetstream/nats-login.ts'
import type { NatsCluster } from '../../support/nats-server.ts'

/** Opens the log of a node, until the test is over. */
export const openNodeLog = async (
  { urls: servers }: Pick<NatsCluster, 'urls'>,
  node: string,
  onError?: (cause: unknown) => void,
): Promise<JetStreamLog> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-node-'))
  const log = await openJetStreamLog(directory, {
    ...natsOptionsOf({ servers }),
    ...{ tenant: 't', node },
    ...(onError && { onError }),
  })
  onTestFinished(async () => {
    await log.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  return log
}
