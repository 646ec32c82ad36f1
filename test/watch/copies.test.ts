import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeHistory } from '../../bench/import/history.ts'
import type { Log } from '../../src/log/index.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { openFileLibrary } from '../../src/watch/files/library.ts'
import { claudeSource } from '../../src/watch/sources/claude.ts'
import { createConversations, putSessions, rounded, usedIn } from './generated.ts'
import { agentHome } from './home.ts'
import { eventsOf, importHome, memoryLog, sessionsOf } from './rig.ts'

/** A log that counts how many events are read from it. */
const countingLog = async (): Promise<{ log: Log; eventsRead(): number }> => {
  const log = await memoryLog()
  let count = 0
  const read: Log['read'] = async function* (...args) {
    for await (const event of log.read(...args)) {
      count += 1
      yield event
    }
  }
  return { log: { ...log, read }, eventsRead: () => count }
}

/** All orders of a list. */
const ordersOf = <Value>(values: readonly Value[]): Value[][] =>
  values.length < 2
    ? [[...values]]
    : values.flatMap((first, index) =>
        ordersOf(values.toSpliced(index, 1)).map((rest) => [first, ...rest]),
      )

describe('copies of a conversation count once, in whatever order they are read', () => {
  const made = () => {
    const conversations = createConversations()
    const original = conversations.talk(3)
    const branch = conversations.copy(original, 'branch')
    const fork = conversations.copy(original, 'fork')
    const ofBranch = conversations.copy(branch, 'fork')
    return { ...conversations, sessions: { original, branch, fork, ofBranch } }
  }
  const names = ['original', 'branch', 'fork', 'ofBranch'] as const

  test.each(ordersOf(names).map((order) => [order.join(', '), order] as const))(
    '%s',
    async (_, order) => {
      const { served, sessions } = made()
      const [home, log] = [agentHome(), await memoryLog()]
      putSessions(
        home,
        order.map((name) => sessions[name]),
      )
      await importHome(home, log)
      expect(await usedIn(log)).toEqual(rounded(served))
    },
  )

  test.each([['original'], ['branch'], ['fork']] as const)(
    'each found by a later start, %s first',
    async (first) => {
      const { served, sessions } = made()
      const [home, log] = [agentHome(), await memoryLog()]
      const rest = names.filter((name) => name !== first && name !== 'ofBranch')
      for (const name of [first, ...rest, 'ofBranch'] as const) {
        putSessions(home, [sessions[name]])
        await importHome(home, log)
      }
      expect(await usedIn(log)).toEqual(rounded(served))
    },
  )
})

test('a copy of a copy does not count the totals that it began with, after a restart', async () => {
  const { talk, copy, served } = createConversations()
  const [home, log] = [agentHome(), await memoryLog()]
  const original = talk(2)
  const fork = copy(original, 'fork')
  const forkOfFork = copy(fork, 'fork')
  for (const session of [original, fork, forkOfFork]) {
    putSessions(home, [session])
    await importHome(home, log)
  }
  expect(await usedIn(log)).toEqual(rounded(served))
})

test('a copy whose original is gone counts the calls itself, until the original is found', async () => {
  const { talk, copy, served } = createConversations()
  const [home, log] = [agentHome(), await memoryLog()]
  const original = talk(2)
  putSessions(home, [copy(original, 'branch')])
  await importHome(home, log)
  const alone = await usedIn(log)
  expect(alone.output).toBe(served.output)
  putSessions(home, [original])
  await importHome(home, log)
  expect(await usedIn(log)).toEqual(rounded(served))
})

test('the original of a copy is found in another folder, and counted as read', async () => {
  const { talk, copy, served } = createConversations()
  const [home, log] = [agentHome(), await memoryLog()]
  const original = talk(2)
  const branch = copy(original, 'branch')
  putSessions(home, [branch])
  putSessions(home, [talk(1), original], '-moved-to')
  const [count] = await importHome(home, log)
  expect(count).toMatchObject({ read: 3, unchanged: 0 })
  expect(await usedIn(log)).toEqual(rounded(served))
})

test('copies that name each other as their original are read all the same', async () => {
  const { talk, copy } = createConversations()
  const [home, log] = [agentHome(), await memoryLog()]
  const left = talk(1)
  const right = copy(left, 'branch')
  const back = { sessionId: right.id, messageUuid: '00000000-0000-4000-8000-000000000000' }
  left.lines = left.lines.map((line) => JSON.stringify({ ...JSON.parse(line), forkedFrom: back }))
  putSessions(home, [left, right])
  const [count] = await importHome(home, log)
  expect(count).toMatchObject({ read: 2, empty: 0 })
})

test('of a long chain of copies, a live one opens only a few originals at once', async () => {
  const { talk } = createConversations()
  const [home, log] = [agentHome(), await memoryLog()]
  const sessions = Array.from({ length: 60 }, () => talk(1))
  for (const [index, session] of sessions.entries()) {
    const sessionId = sessions[index + 1]?.id
    const forkedFrom = { sessionId, messageUuid: '00000000-0000-4000-8000-000000000000' }
    session.lines = session.lines.map((line) => JSON.stringify({ ...JSON.parse(line), forkedFrom }))
  }
  putSessions(home, sessions)
  const watched = createWatchedSessions({
    ...{ log, publish() {}, publishHistory() {}, notify() {}, onError() {} },
  })
  const library = await openFileLibrary({ log, watched })
  const root = join(home, '.claude/projects')
  const reader = await library.open(
    claudeSource,
    root,
    `-home-dev-project/${sessions[0]?.id}.jsonl`,
  )
  expect(await reader.catchUp({ isPast: false })).toBe('read')
  await reader.release()
  const read = await sessionsOf(log)
  expect(read.length).toBeGreaterThan(2)
  expect(read.length).toBeLessThan(30)
  await watched.close()
})

test('a name that leads out of the folder is not the name of an original', async () => {
  const { talk, copy } = createConversations()
  const [home, log] = [agentHome(), await memoryLog()]
  const branch = copy(talk(1), 'branch')
  branch.lines = branch.lines.map((line) =>
    line.replace(/"forkedFrom":\{"sessionId":"[^"]*"/, '"forkedFrom":{"sessionId":"../../secret"'),
  )
  putSessions(home, [branch])
  expect(await importHome(home, log)).toMatchObject([{ read: 1 }])
})

test('each of many copies is read once: the work grows with their number, not its square', async () => {
  const eventsReadFor = async (copies: number): Promise<number> => {
    const { talk, copy, served } = createConversations()
    const home = agentHome()
    const { log, eventsRead } = await countingLog()
    const original = talk(3)
    const forks = Array.from({ length: copies }, (_, index) =>
      copy(original, index % 2 === 0 ? 'fork' : 'branch'),
    )
    putSessions(home, [...forks, original])
    await importHome(home, log)
    const read = eventsRead()
    expect(await usedIn(log)).toEqual(rounded(served))
    return read
  }
  const [few, many] = [await eventsReadFor(10), await eventsReadFor(40)]
  expect(many).toBeLessThan(few * 4.5)
})

test('a file that moves to another project does not count again, nor does its copy', async () => {
  const { talk, copy, served } = createConversations()
  const [home, log] = [agentHome(), await memoryLog()]
  const original = talk(2)
  const [path = ''] = putSessions(home, [original])
  putSessions(home, [copy(original, 'fork')])
  await importHome(home, log)
  const [moved = ''] = putSessions(home, [talk(1)], '-home-dev-other')
  renameSync(path, join(moved, '..', `${original.id}.jsonl`))
  await importHome(home, log)
  putSessions(home, [copy(original, 'branch')])
  await importHome(home, log)
  expect(await sessionsOf(log)).toHaveLength(4)
  expect(await usedIn(log)).toEqual(rounded(served))
})

test('files that are deleted between two imports stay counted, and their later copies add nothing', async () => {
  const { talk, copy, served } = createConversations()
  const [home, log] = [agentHome(), await memoryLog()]
  const original = talk(2)
  const [path = ''] = putSessions(home, [original])
  await importHome(home, log)
  rmSync(path)
  putSessions(home, [copy(original, 'fork'), copy(original, 'branch')])
  await importHome(home, log)
  expect(await sessionsOf(log)).toHaveLength(3)
  expect(await usedIn(log)).toEqual(rounded(served))
})

test('a history from a backup and the same one at home are the same sessions', async () => {
  const { talk, copy, served } = createConversations()
  const [backup, home, log] = [agentHome(), agentHome(), await memoryLog()]
  const original = talk(2)
  const sessions = [copy(original, 'fork'), original]
  putSessions(backup, sessions)
  putSessions(home, sessions)
  await importHome(backup, log)
  const before = await Promise.all((await sessionsOf(log)).map(({ id }) => eventsOf(log, id)))
  await importHome(home, log)
  const after = await Promise.all((await sessionsOf(log)).map(({ id }) => eventsOf(log, id)))
  expect(after).toEqual(before)
  expect(await usedIn(log)).toEqual(rounded(served))
})

test.each([true, false])(
  'a generated history counts what was served (only messages: %s)',
  async (onlyMessages) => {
    const [home, log] = [agentHome(), await memoryLog()]
    const history = writeHistory({
      ...{ directory: join(home, '.claude'), bytes: 6_000_000, seed: 3, onlyMessages },
    })
    const [count] = await importHome(home, log)
    expect(count).toMatchObject({ read: history.sessions, bytes: expect.any(Number) })
    expect(await usedIn(log)).toEqual(rounded(history.served))
  },
)
