import { expect, test } from 'vitest'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { dataDirectory, openDemoSessions } from '../support/demo-sessions.ts'

test('an imported session is read-only, and nothing is added to it at the start', async () => {
  const log = await openMemoryLog()
  await log.sessions.create({
    ...{ id: 's1', agent: 'demo', cwd: '/nowhere', state: 'ended' },
    ...{ createdAt: 1, updatedAt: 1, imported: { at: 2 } },
  })
  const stamp = { sessionId: 's1', timestamp: 1 }
  await log.append('s1', [
    { ...stamp, seq: 1, type: 'session_start', agent: 'demo' },
    { ...stamp, seq: 2, type: 'agent_start' },
  ])
  const sessions = await openDemoSessions({ directory: dataDirectory(), wrapLog: () => log })
  expect(await log.head('s1')).toBe(2)
  const session = await sessions.get('s1')
  for (const result of [await session?.prompt('hi'), await session?.steer('hi')])
    expect(result).toMatchObject({ outcome: 'failed', code: 'session_read_only' })
  expect(await log.head('s1')).toBe(2)
  // What it used was not spent here, also after it is deleted.
  await sessions.remove('s1')
  expect(await log.ledger.deletedUsage()).toEqual([])
  await sessions.close()
})
