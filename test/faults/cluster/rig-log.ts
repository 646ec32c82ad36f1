import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import type { Rig } from './rig.ts'

/** Opens the log of a rig directly, beside its nodes. */
export const openRigLog = async ({ nats, tenant }: Pick<Rig, 'nats' | 'tenant'>) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-check-'))
  const log = await openJetStreamLog(directory, { servers: nats.urls, tenant, replicas: 3 })
  return {
    log,
    async close() {
      await log.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
