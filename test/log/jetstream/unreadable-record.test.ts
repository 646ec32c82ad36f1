import { Kvm } from '@nats-io/kv'
import { describe, expect, onTestFinished, test } from 'vitest'
import { reasonOf } from '../../../src/shared/reason.ts'
import { natsMissing, startNats } from '../../support/nats-server.ts'
import { command, key, session } from '../samples.ts'
import { openNodeLog } from './open-node-log.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: records that cannot be read: ${missing}`)

/** What is no entry of Sluice, and entries whose record is none. */
const wrong = ['', '{', 'null', '1', '{"w":"a","v":"{"}', '{"w":"a","v":"{}"}', '{"w":5,"v":6}']
const kinds = ['session', 'key', 'project', 'setting', 'spending', 'usage']

describe.skipIf(missing !== undefined)('records that cannot be read', () => {
  test('are reported, and hold up no others, also at the next start', async () => {
    const nats = await startNats()
    onTestFinished(() => nats.stop())
    const problems: string[] = []
    const report = (cause: unknown) => void problems.push(reasonOf(cause))
    const one = await openNodeLog(nats, 'one', report)
    const kv = await new Kvm(one.link.client).open('sluice_t')
    for (const kind of kinds)
      for (const [index, text] of wrong.entries()) await kv.put(`i.${kind}.wrong${index}`, text)
    await one.sessions.create(session('s'))
    await one.keys.create(key('k'))
    const two = await openNodeLog(nats, 'two', report)
    expect(await two.sessions.get('s')).toMatchObject({ id: 's' })
    await two.keys.revoke('k', 2000)
    await expect.poll(() => one.keys.get('k')).toMatchObject({ revokedAt: 2000 })
    const unread = problems.filter((each) =>
      each.includes('i.session.wrong1 in NATS cannot be read'),
    )
    expect(unread).toHaveLength(2)
    expect(problems.filter((each) => !each.includes('cannot be read'))).toEqual([])
  })

  test('concern the commands of their own session only', async () => {
    const nats = await startNats()
    onTestFinished(() => nats.stop())
    const log = await openNodeLog(nats, 'one')
    for (const id of ['s', 't']) await log.sessions.create(session(id))
    const kv = await new Kvm(log.link.client).open('sluice_t')
    await kv.put('i.commands.s', '{"w":"a","v":"{}"}')
    for (const text of ['{"w":"a","v":"{}"}', '{']) {
      await kv.put('d.commands.s', text)
      await expect(log.commands.list('s')).rejects.toMatchObject({ code: 'damaged' })
      await log.commands.add(command(`c${text.length}`, 't'))
      expect(await log.commands.openSessions()).toEqual(['t'])
    }
  })
})
