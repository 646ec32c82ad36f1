import { expect, test } from 'vitest'
import { compareSessions } from '../../src/api/session-order.ts'
import type { SessionInfo } from '../../src/api/types.ts'

const session = (
  id: string,
  lastActivity: number,
  more: Partial<SessionInfo> = {},
): SessionInfo => ({
  id,
  agent: 'pi',
  cwd: '/p',
  state: 'idle',
  createdAt: 0,
  updatedAt: 0,
  lastActivity,
  ...more,
})

test('sessions that wait, work or failed come before idle ones, then the latest activity counts', () => {
  const sessions = [
    session('old', 1),
    session('latest', 99),
    session('failed', 2, { activity: { kind: 'failed' } }),
    session('working long', 3, { state: 'running' }),
    session('working', 4, { state: 'running' }),
    session('waiting', 1, { state: 'running', pendingApprovals: 1 }),
  ]
  expect(sessions.sort(compareSessions).map(({ id }) => id)).toEqual([
    'waiting',
    'working',
    'working long',
    'failed',
    'latest',
    'old',
  ])
})
