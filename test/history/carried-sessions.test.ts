import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { piSetup } from '../agents/pi.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { type CarriedAgent, createHistoryRig } from './history-rig.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: conversations that move: ${missing}`)

const pi: CarriedAgent = {
  name: 'pi',
  model: 'fake/fake-sonnet',
  programVariable: 'PI_BIN',
  setUp: (url) => piSetup('0.87', url),
}

describe.skipIf(missing !== undefined)('conversations that move between nodes', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  test('Pi remembers after its node was killed', async () => {
    const rig = await createHistoryRig(nats, pi)
    const [one, two] = await Promise.all([rig.start('one'), rig.start('two')])
    const { id } = await rig.create(one)
    await rig.prompt(one, id, 'scenario:text the word is marmalade')
    expect(one.files('pi/sessions/**/*.jsonl')).toHaveLength(1)
    expect(two.files('pi/sessions/**/*.jsonl')).toEqual([])
    await rig.untilStored(one)
    await one.server.stop('SIGKILL')
    await expect
      .poll(() => two.server.client.nodes.list(), { timeout: 20_000 })
      .toMatchObject({ nodes: [{ name: 'two' }] })
    const { request, notices } = await rig.prompt(two, id, 'scenario:text which word?')
    console.log(notices, two.files('pi/sessions/**/*'))
    expect(request).toContain('marmalade')
    expect(notices).toContain('Pi resumes from the history that node one stored.')
  })
})
