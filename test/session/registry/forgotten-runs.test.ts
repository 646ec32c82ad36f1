import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openCluster } from '../../../src/cluster/cluster.ts'
import { openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import { session } from '../../log/samples.ts'
import { eventually } from '../../support/eventually.ts'
import { natsMissing, startNats } from '../../support/nats-server.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: runs that no node has closed: ${missing}`)

/** The sessions of a node of a new NATS server. */
const openNode = async (node: string) => {
  const nats = await startNats()
  onTestFinished(() => nats.stop())
  const directory = mkdtempSync(join(tmpdir(), 'sluice-forgotten-'))
  const log = await openJetStreamLog(directory, { servers: nats.urls, node })
  const errors: unknown[] = []
  const onError = (cause: unknown) => void errors.push(cause)
  const cluster = await openCluster({
    ...{ link: log.link, names: log.names, replicas: 1, leaseMs: 1500, onError },
    description: () => ({
      ...{ node, home: node, url: 'http://127.0.0.1/', version: '0', agents: [], maxAgents: 1 },
      startedAt: 0,
    }),
    onNotice: () => {},
  })
  const sessions = await openSessions({ log, ownership: cluster, onError })
  onTestFinished(async () => {
    await sessions.close()
    await cluster.close()
    await log.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    expect(errors).toEqual([])
  })
  return { log, cluster }
}

describe.skipIf(missing !== undefined)('runs that no node has closed', () => {
  test('a session that nobody owns does not stay running', async () => {
    const { log, cluster } = await openNode('one')
    await log.sessions.create(session('left', { agent: 'demo' }))
    await cluster.settle('left')
    await log.sessions.create(session('held', { agent: 'demo' }))
    await cluster.claim('held')
    // As a node that has lost its lease stores it behind the one that has taken over.
    await log.sessions.update('held', { state: 'running' })
    await log.sessions.update('left', { state: 'running', pid: 1 })
    await eventually(async () =>
      expect(await log.sessions.get('left')).toMatchObject({ state: 'idle' }),
    )
    expect(await log.sessions.get('held')).toMatchObject({ state: 'running' })
    await eventually(() => expect(cluster.holds('left')).toBe(false))
    expect(cluster.lastOwnerOf('left')).toBe('one')
  })
})
