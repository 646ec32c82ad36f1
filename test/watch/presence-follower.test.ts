import { expect, onTestFinished, test } from 'vitest'
import type { Presence } from '../../src/events/types.ts'
import { LogFault } from '../../src/log/log-fault.ts'
import type { PresenceQuery, PresenceRegistry } from '../../src/presence/presence.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { createPresenceFollower } from '../../src/watch/presence-follower.ts'
import { memoryLog } from './rig.ts'

/** A follower over a registry that reports what `stateOf` says. */
const openRig = async (
  stateOf: (query: PresenceQuery) => Presence,
  onError: (cause: unknown) => void = (cause) => {
    throw cause
  },
) => {
  const log = await memoryLog()
  const following = new Set<string>()
  const presence: PresenceRegistry = {
    find: async (query) => stateOf(query),
    follow(query, onChange) {
      following.add(query.nativeId)
      queueMicrotask(() => onChange(stateOf(query)))
      return () => void following.delete(query.nativeId)
    },
    report() {},
    close() {},
  }
  const watched = createWatchedSessions({
    ...{ log, publish() {}, publishHistory() {}, onError },
    notify: (event) => follower.onSession(event),
  })
  const follower = createPresenceFollower({ log, watched, presence, onError })
  onTestFinished(async () => {
    await follower.close()
    await watched.close()
  })
  const write = async (nativeId: string) => {
    const session = await watched.open({ agent: 'claude', nativeId, cwd: '/gone' })
    if (typeof session === 'string') throw new Error(session)
    await session.append([{ events: [{ type: 'agent_start' }] }])
    await session.release()
    return session.id
  }
  return {
    following,
    write,
    log,
    stateOf: async (id: string) => (await log.sessions.get(id))?.watched?.presence,
  }
}

test('sessions of which nothing is known do not keep others from being followed', async () => {
  const { following, write, stateOf } = await openRig(({ nativeId }) =>
    nativeId === 'live' ? { state: 'idle', pid: 7 } : { state: 'unknown' },
  )
  for (let index = 0; index < 250; index += 1) await write(`without-directory-${index}`)
  const id = await write('live')
  await expect.poll(() => stateOf(id)).toEqual({ state: 'idle', pid: 7 })
  expect([...following]).toEqual(['live'])
})

test('of more live sessions than are followed, those with the latest writes are', async () => {
  const { following, write, stateOf } = await openRig(() => ({ state: 'idle', pid: 7 }))
  const ids: string[] = []
  for (let index = 0; index < 200; index += 1) ids.push(await write(`n${index}`))
  await write('n0')
  await write('new')
  expect(following.has('new')).toBe(true)
  expect(following.has('n0')).toBe(true)
  expect(following.has('n1')).toBe(false)
  await expect.poll(() => stateOf(ids[1] ?? '')).toEqual({ state: 'unknown' })
})

test('a session works again after its presence could not be stored once', async () => {
  const errors: unknown[] = []
  const { write, log } = await openRig(
    () => ({ state: 'idle', pid: 7 }),
    (cause) => errors.push(cause),
  )
  const { update } = log.sessions
  const failure = new LogFault('unreachable', 'NATS does not answer.')
  log.sessions.update = async (id, patch) => {
    if (patch.watched?.presence && errors.length === 0) throw failure
    return update(id, patch)
  }
  const id = await write('n1')
  await expect.poll(() => errors).toEqual([failure])
  await expect(write('n1')).resolves.toBe(id)
})
