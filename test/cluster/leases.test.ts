import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { type Member, startMember } from './start-member.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: leases of nodes: ${missing}`)

const leaseMs = 1500

describe.skipIf(missing !== undefined)('leases of nodes', () => {
  let nats: NatsCluster
  let tenants = 0
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  /** Nodes of a new tenant. */
  const start = (...names: readonly string[]): Promise<Member[]> => {
    tenants += 1
    const tenant = `t${tenants}`
    const startOne = (name: string) => startMember(nats.urls.join(), tenant, name, String(leaseMs))
    return Promise.all(names.map(startOne))
  }

  test('of two nodes that claim a session, exactly one gets it', async () => {
    const members = await start('one', 'two')
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(members.map((each) => each.send(`claim s${round}`)))
      const failures = answers.filter((answer) => 'failed' in answer)
      expect(failures).toEqual([
        expect.objectContaining({ failed: expect.stringContaining('The session runs on node') }),
      ])
    }
  })

  test('a session that was released can be claimed at once', async () => {
    const [one, two] = await startTwo()
    await one.send('claim a')
    expect(await two.send('claim a')).toHaveProperty('failed')
    await one.send('release a')
    expect(await two.send('claim a')).toMatchObject({ result: {} })
    expect(await one.send('claim a')).toMatchObject({ failed: 'The session runs on node two.' })
  })

  test('a node that stops frees its sessions at once', async () => {
    const [one, two] = await startTwo()
    await one.send('claim a')
    await one.send('stop')
    const startedAt = performance.now()
    expect(await two.send('claim a')).toMatchObject({ result: {} })
    expect(performance.now() - startedAt).toBeLessThan(leaseMs)
    expect(two.output).not.toContainEqual(expect.objectContaining({ orphan: 'a' }))
  })

  test('a node that was stopped for too long loses its sessions, notices it, and joins again', async () => {
    const [one, two] = await startTwo()
    await one.send('claim a')
    one.signal('SIGSTOP')
    await two.untilPrinted({ orphan: 'a', lostNode: 'one' })
    expect(await two.send('claim a')).toMatchObject({ result: {} })
    one.signal('SIGCONT')
    await one.untilPrinted({ lost: 'owner_lost' })
    await one.untilPrinted({ notice: expect.stringContaining('Node one has lost its lease') })
    expect(await one.send('holds a')).toMatchObject({ result: false })
    expect(await one.send('claim a')).toMatchObject({ failed: 'The session runs on node two.' })
    // With its new lease it works as before.
    await expect.poll(() => one.send('claim b'), { timeout: 10_000 }).toMatchObject({ result: {} })
    expect(two.output.filter((each) => 'orphan' in each)).toHaveLength(1)
  }, 30_000)

  test('of two nodes that see one die, only one takes over', async () => {
    const [one, two, three] = await startThree()
    await one.send('claim a')
    one.signal('SIGKILL')
    const orphans = () => [...two.output, ...three.output].filter((each) => 'orphan' in each)
    await expect.poll(orphans, { timeout: 3 * leaseMs }).toHaveLength(1)
    await expect.poll(() => two.send('claim a')).toMatchObject({ result: {} })
    await two.send('release a')
    expect(await three.send('claim a')).toMatchObject({ result: {} })
    expect(orphans()).toHaveLength(1)
  }, 30_000)

  test('while NATS is away, nobody loses a lease', async () => {
    const [one, two] = await startTwo()
    await one.send('claim a')
    const [server] = nats.servers
    await server?.signal('SIGKILL')
    expect(await two.send('claim b')).toMatchObject({ failed: expect.stringContaining('NATS') })
    await server?.restart()
    await expect.poll(() => one.send('claim c'), { timeout: 15_000 }).toMatchObject({ result: {} })
    expect(await one.send('holds a')).toMatchObject({ result: true })
    expect(await two.send('claim a')).toMatchObject({ failed: 'The session runs on node one.' })
    expect(two.output).not.toContainEqual(expect.objectContaining({ orphan: 'a' }))
  }, 60_000)

  const startTwo = async (): Promise<readonly [Member, Member]> => {
    const [one, two] = await start('one', 'two')
    if (!one || !two) throw new Error('Two nodes were started.')
    return [one, two]
  }
  const startThree = async (): Promise<readonly [Member, Member, Member]> => {
    const [one, two, three] = await start('one', 'two', 'three')
    if (!one || !two || !three) throw new Error('Three nodes were started.')
    return [one, two, three]
  }
})
