import { expect, test } from 'vitest'
import type { LoadedSession } from '../../../src/session/registry/load-session.ts'
import { createLoadedSessions } from '../../../src/session/registry/loaded-sessions.ts'

test('a session that is loaded again, as soon as it could not be loaded, is loaded once', async () => {
  const first = Promise.withResolvers<LoadedSession>()
  let loads = 0
  const { get, unload } = createLoadedSessions({
    load() {
      loads += 1
      return loads === 1 ? first.promise : new Promise(() => {})
    },
    onError: (cause) => expect.unreachable(String(cause)),
    ...{ maxAgents: 1, markKey: 0 },
  })
  const again = get('s').catch(() => void get('s'))
  const unloaded = unload('s', 'idle')
  first.reject(new Error('NATS does not answer.'))
  await again
  await unloaded
  void get('s')
  expect(loads).toBe(2)
})
