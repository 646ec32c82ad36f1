import { expect, test } from 'vitest'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { followLostMachines } from '../../src/watch/lost-machines.ts'
import { memoryLog, sessionsOf } from './rig.ts'

test('a session of a lost node that cannot be closed keeps no other one open', async () => {
  const log = await memoryLog()
  const watched = createWatchedSessions({
    ...{ log, publish() {}, publishHistory() {}, notify() {}, onError() {} },
  })
  const nativeIds = ['one', 'damaged', 'three']
  for (const nativeId of nativeIds) {
    const session = await watched.open({ agent: 'claude', nativeId, cwd: '/p' })
    if (typeof session === 'string') throw new Error(session)
    await session.update({ presence: { state: 'working' } })
    await session.release()
  }
  const errors: unknown[] = []
  const stop = followLostMachines({
    ...{ log, pollMs: 10, onError: (cause) => errors.push(cause) },
    watched: {
      async open(native) {
        if (native.nativeId === 'damaged') throw new Error('It is damaged.')
        return watched.open(native)
      },
    },
    machines: {
      ...{ node: 'here', isLiving: () => false, isHousekeeper: () => true },
      ...{ onChange: () => () => {}, findPresence: async () => [], serve() {} },
    },
  })
  const states = async () =>
    Object.fromEntries(
      (await sessionsOf(log)).map(({ watched: from }) => [from?.nativeId, from?.presence?.state]),
    )
  await expect.poll(states).toEqual({ one: 'unknown', damaged: 'working', three: 'unknown' })
  expect(errors[0]).toMatchObject({ cause: new Error('It is damaged.') })
  await stop()
  await watched.close()
})
