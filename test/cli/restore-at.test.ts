import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteLog } from '../../src/log/index.ts'
import { session, temporaryDirectory, textEvent } from '../log/samples.ts'
import { sluice } from '../support/sluice.ts'

test('sluice restore --at leaves out what came later, and says how much', async () => {
  const data = temporaryDirectory('restore-at')
  const [early, late] = [Date.parse('2026-11-15T10:00Z'), Date.parse('2026-11-15T12:00Z')]
  const log = await openSqliteLog(data)
  await log.sessions.create(session('a', { createdAt: early }))
  await log.sessions.create(session('b', { createdAt: late }))
  await log.append('a', [
    { ...textEvent('a', 1, 'early'), timestamp: early },
    { ...textEvent('a', 2, 'late'), timestamp: late },
  ])
  await log.close()
  const file = join(data, 'copy.db')
  await sluice(['backup', file, '--data', data])
  const target = join(temporaryDirectory('restore-at'), 'data')
  const env = { ...process.env, TZ: 'UTC' }
  const restore = (at: string) => sluice(['restore', file, '--data', target, '--at', at], { env })
  expect(await restore('noon')).toMatchObject({ code: 2, stdout: '' })
  const { code, stdout } = await restore('2026-11-15T11:00')
  expect(code).toBe(0)
  expect(stdout).toContain('Restored 1 sessions with 1 events')
  expect(stdout).toContain('Left out what came after 2026-11-15 11:00: 1 sessions and 1 events.')
})
