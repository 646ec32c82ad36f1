import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createSearch } from '../../../src/http/search/search.ts'
import { type Log, openMemoryLog } from '../../../src/log/index.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'
import { startLocalServer } from '../../support/local-server.ts'
import { stampAll, start, wholeMessage } from '../../transcript/events.ts'

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-queue-')))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const fill = async (log: Log, id: string, messages: number): Promise<void> => {
  const times = { createdAt: 1, updatedAt: 1 }
  await log.sessions.create({ id, agent: 'demo', cwd: '/p', state: 'idle', ...times })
  const texts = Array.from({ length: messages }, (_, index) =>
    wholeMessage(`m${index}`, `A pear, number ${index}. ${'x'.repeat(500)}`),
  ).flat()
  const events = stampAll([start, ...texts]).map((event) => ({ ...event, sessionId: id }))
  for (let from = 0; from < events.length; from += 2000)
    await log.append(id, events.slice(from, from + 2000))
}

const request = (caller: string, query = 'pear') => ({ query, limit: 10, caller })

describe('searches', () => {
  test('callers take turns', async () => {
    const log = await openMemoryLog()
    await fill(log, 's', 3)
    const search = createSearch({ log })
    const order: string[] = []
    const run = async (name: string, caller: string) => {
      await search.run(request(caller))
      order.push(name)
    }
    await Promise.all([
      ...['a1', 'a2', 'a3', 'a4'].map((name) => run(name, 'a')),
      ...['b1', 'b2'].map((name) => run(name, 'b')),
    ])
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
    expect(search.size()).toBe(0)
    await search.close()
  })

  test('too many are refused, of one caller and in all', async () => {
    const log = await openMemoryLog()
    const search = createSearch({ log, perCaller: 2, total: 4 })
    const running = ['a', 'a', 'b', 'c'].map((caller) => search.run(request(caller)))
    const refusal = { status: 429, code: 'rate_limited', headers: { 'Retry-After': '2' } }
    const refused = ['a', 'd'].map((caller) => search.run(request(caller)))
    for (const each of refused) await expect(each).rejects.toMatchObject(refusal)
    await Promise.all(running)
    await expect(search.run(request('a'))).resolves.toMatchObject({ hits: [] })
    await search.close()
  })

  test('a caller that is gone is skipped', async () => {
    const log = await openMemoryLog()
    const search = createSearch({ log })
    const gone = new AbortController()
    const first = search.run(request('a'))
    const second = search.run({ ...request('a'), signal: gone.signal })
    gone.abort()
    await expect(second).rejects.toMatchObject({ code: 'bad_request' })
    await first
    await search.close()
  })

  test('a database is searched on another thread, while the event loop goes on', async () => {
    const log = await openSqliteLog(join(directory, 'large'), { synchronous: 'NORMAL' })
    await fill(log, 's', 4000)
    const search = createSearch({ log })
    let turns = 0
    let isSearching = true
    const count = () => {
      turns += 1
      if (isSearching) setImmediate(count)
    }
    count()
    // Each of them folds the whole session. In this thread, that is one turn of the event loop.
    const found = await Promise.all(
      Array.from({ length: 4 }, () =>
        search.run({ ...request('a', 'number 3999'), withinMs: 60_000 }),
      ),
    )
    isSearching = false
    for (const { hits } of found) expect(hits).toMatchObject([{ messageId: 'm3999' }])
    expect(turns).toBeGreaterThan(200)
    // What is written later is found, too.
    await fill(log, 'later', 1)
    expect((await search.run(request('a', 'number 0'))).hits).toMatchObject([
      { sessionId: 'later' },
      { sessionId: 's' },
    ])
    await search.close()
    await log.close()
  })

  test('a search that runs out of time ends inside of a session', async () => {
    const log = await openSqliteLog(join(directory, 'slow'), { synchronous: 'NORMAL' })
    await fill(log, 's', 2000)
    const search = createSearch({ log })
    const cut = await search.run({ ...request('a', 'nowhere'), withinMs: 1 })
    expect(cut).toEqual({ hits: [], searched: 0, truncated: true })
    await search.close()
    await log.close()
  })

  test('sixty at once hold up no other request', async () => {
    const server = await startLocalServer()
    try {
      const { id } = await server.createDemoSession()
      const statuses = await Promise.all([
        ...Array.from({ length: 60 }, async () => (await server.api('/search?q=pear')).status),
        server.api(`/sessions/${id}`).then(({ status }) => status),
      ])
      expect(statuses.at(-1)).toBe(200)
      expect(new Set(statuses)).toEqual(new Set([200, 429]))
    } finally {
      await server.close()
      server.remove()
    }
  })
})
