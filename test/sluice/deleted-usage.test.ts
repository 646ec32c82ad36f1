import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import { openSluice } from '../../src/sluice/sluice.ts'
import { temporaryDirectory } from '../log/samples.ts'

test('what a session has cost is known after it is deleted for good', async () => {
  process.env.SLUICE_DEMO_PACE = '0'
  const root = realpathSync(temporaryDirectory('deleted-usage'))
  const seen: StampedEvent[] = []
  const sluice = await openSluice({
    data: join(root, 'data'),
    sandbox: 'off',
    policy: 'allow',
    onEvent: (event) => seen.push(event),
  })
  onTestFinished(() => sluice.close())
  const { session, record } = await sluice.sessions.create({ agent: 'demo', cwd: process.cwd() })
  await session.prompt('fail')
  await session.idle()
  const last = seen.filter((event) => event.type === 'usage_update').at(-1)
  expect(last?.totals.costUsd).toBeGreaterThan(0)
  await sluice.sessions.remove(record.id)
  expect(await sluice.log.ledger.deletedUsage()).toEqual([{ usage: last?.totals }])
})
