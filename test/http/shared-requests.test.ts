import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSharedRequests } from '../../src/http/shared-requests.ts'
import { openJetStreamLog } from '../../src/log/jetstream/jetstream-log.ts'
import { LogFault } from '../../src/log/log-fault.ts'
import { Problem } from '../../src/shared/problem.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: requests that nodes share: ${missing}`)

describe.skipIf(missing !== undefined)('requests that nodes share', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  let tenants = 0
  /** The requests of nodes, each over a log of its own. */
  const openNodes = async () => {
    tenants += 1
    const lost = new Set<string>()
    const open = async (node: string, waitMs = 20_000) => {
      const directory = mkdtempSync(join(tmpdir(), 'sluice-requests-'))
      const log = await openJetStreamLog(directory, {
        servers: nats.urls,
        tenant: `r${tenants}`,
        node,
      })
      onTestFinished(async () => {
        await log.close()
        rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
      })
      const nodes = {
        self: () => ({ node, incarnation: 'i1' }),
        keepsLease: async ({ node: other }: { node: string }) => !lost.has(other),
      }
      const onError = (cause: unknown) => {
        throw cause
      }
      const { requests } = log.shared
      return { ...createSharedRequests({ requests, nodes, waitMs, onError }), requests }
    }
    return { lost, open }
  }
  const request = { owner: 'o', route: 'POST /x', key: 'k', body: '{}' }
  const created = (id: string) => ({ status: 201, body: { id } })
  const never = () => new Promise<never>(() => {})

  test('what a lost node has begun runs again with the same id, and once', async () => {
    const { lost, open } = await openNodes()
    const [one, two, three] = await Promise.all([open('one'), open('two'), open('three')])
    const begun = Promise.withResolvers<string>()
    void one.once(request, (id) => {
      begun.resolve(id)
      return never()
    })
    const id = await begun.promise
    const ids: string[] = []
    const run = async (newId: string) => {
      ids.push(newId)
      return created(newId)
    }
    const waiting = [two.once(request, run), three.once(request, run)]
    lost.add('one')
    const responses = await Promise.all(waiting)
    expect(ids).toEqual([id])
    const bodies = responses.map(({ body, bytes }) => body ?? JSON.parse(String(bytes)))
    expect(bodies).toEqual([{ id }, { id }])
  })

  test('a request that another node runs is waited for, and then refused with a reason', async () => {
    const { open } = await openNodes()
    const [one, two] = await Promise.all([open('one'), open('two', 300)])
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const first = one.once(request, async (id) => {
      begun.resolve()
      await end.promise
      return created(id)
    })
    await begun.promise
    await expect(two.once(request, never)).rejects.toMatchObject({
      ...{ status: 409, code: 'request_running', headers: { 'Retry-After': '5' } },
    })
    const other = two.once({ ...request, body: '[]' }, never)
    await expect(other).rejects.toMatchObject({ status: 422, code: 'idempotency_mismatch' })
    end.resolve()
    const { body } = await first
    const { bytes, headers } = await two.once(request, never)
    expect(JSON.parse(String(bytes))).toEqual(body)
    expect(headers).toMatchObject({ 'Idempotency-Replayed': 'true' })
  })

  test('what was refused is forgotten, and what is too large is made again', async () => {
    const { open } = await openNodes()
    const [one, two] = await Promise.all([open('one'), open('two')])
    const refuse = async () => {
      throw new Problem(409, 'agent_busy', 'busy')
    }
    await expect(one.once(request, refuse)).rejects.toMatchObject({ code: 'agent_busy' })
    const ids: string[] = []
    const large = async (newId: string) => {
      ids.push(newId)
      return { status: 201, body: { text: 'é'.repeat(30_000) } }
    }
    await two.once(request, large)
    await one.once(request, large)
    expect(ids[1]).toBe(ids[0])
  })

  test.for([
    ['NATS did not answer', new LogFault('unreachable', 'NATS did not answer.')],
    ['another node has taken over', new LogFault('fenced', 'Another node has it.')],
    ['the server failed', new Error('oops')],
  ] as const)('what may have been stored is done again with the same id: %s', async ([, fault]) => {
    const { open } = await openNodes()
    const [one, two] = await Promise.all([open('one'), open('two')])
    const ids: string[] = []
    const lose = async (newId: string) => {
      ids.push(newId)
      throw fault
    }
    await expect(one.once(request, lose)).rejects.toBe(fault)
    const { body } = await two.once(request, async (newId) => created(newId))
    expect(body).toEqual({ id: ids[0] })
  })

  test('old requests are deleted, and the oldest above the limit', async () => {
    const { open } = await openNodes()
    const { requests } = await open('one')
    const stored = { hash: 'h', newId: 'n', node: 'one', incarnation: 'i' }
    for (let count = 0; count < 10; count += 1) await requests.begin(`k${count}`, stored)
    await requests.prune(60_000, 4)
    expect(await requests.begin('k5', stored)).toBeUndefined()
    expect(await requests.begin('k6', stored)).toEqual(stored)
    // By the clock of the server: everything before the last one is older than nothing.
    await requests.prune(-1, 100)
    expect(await requests.begin('k9', stored)).toBeUndefined()
  })
})
