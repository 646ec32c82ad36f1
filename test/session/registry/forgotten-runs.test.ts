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

/** The sessions of a node of a new NATS server, with the demo agent. */
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
  const sessions = await openSessions({
    ...{ log, ownership: cluster, onError, policy: 'allow' },
    findProgram: () => process.execPath,
    env: { ...process.env, SLUICE_DEMO_PACE: '0' },
  })
  onTestFinished(async () => {
    await sessions.close()
    await cluster.close()
    await log.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    expect(errors).toEqual([])
  })
  return { log, cluster, sessions, directory }
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

  test('a session of this node has its own state, also when another node stores one late', async () => {
    const { log, sessions, directory } = await openNode('one')
    const wanted = { agent: 'demo', cwd: directory, model: 'demo-script' }
    const { record, session } = await sessions.create(wanted)
    const states = async () => {
      const { state, pid } = (await log.sessions.get(record.id)) ?? {}
      return { state, pid }
    }
    await session.prompt('think')
    await session.idle()
    await eventually(async () => expect((await states()).state).toBe('idle'))
    const { pid } = await states()
    expect(pid).toBeDefined()
    await log.sessions.update(record.id, { state: 'running', pid: 1 })
    await eventually(async () => expect(await states()).toEqual({ state: 'idle', pid }))
  })
})
