import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchSessions } from '../../../src/http/search/search-sessions.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'
import { packSnapshot } from '../../../src/streams/snapshots/stored-snapshot.ts'
import { applyAll, emptyTranscript, toSnapshot } from '../../../src/transcript/index.ts'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../../support/local-server.ts'
import {
  call,
  close,
  delta,
  open,
  result,
  say,
  stampAll,
  start,
  text,
} from '../../transcript/events.ts'

describe('a search', () => {
  let server: LocalServer
  beforeAll(async () => {
    server = await startLocalServer()
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  const begin = async (...prompts: string[]): Promise<string> => {
    const { id } = await server.createDemoSession()
    for (const prompt of prompts) {
      const { seq } = await server.client.sessions.prompt(id, prompt)
      await waitForRunEnd(server, id, seq)
    }
    return id
  }

  test('finds what people, agents and tools said, and leads to the message', async () => {
    const id = await begin('think of a Needle, “quoted”', 'parallel')
    const { messages } = await server.client.sessions.messages(id)
    const [first] = messages
    const { hits, truncated } = await server.client.search('a nEEDLE, “quoted”')
    expect(hits).toEqual([
      {
        sessionId: id,
        title: 'think of a Needle, “quoted”',
        cwd: server.projectDirectory,
        messageId: first && 'messageId' in first ? first.messageId : undefined,
        excerpt: 'think of a Needle, “quoted”',
      },
    ])
    expect(truncated).toBeUndefined()
    expect((await server.client.search('Both are done.')).hits).toMatchObject([{ sessionId: id }])
    const tool = messages.find(({ role }) => role === 'toolResult')
    const [block] = tool?.content ?? []
    const printed = block && 'text' in block ? String(block.text).slice(0, 12) : ''
    const printedHits = (await server.client.search(printed)).hits
    expect(printedHits.map(({ sessionId }) => sessionId)).toContain(id)
  })

  test('finds sessions by their name, newest first, and forgets those that were removed', async () => {
    const ids = [await begin(), await begin()]
    for (const id of ids) await server.client.sessions.update(id, { name: 'Orchard' })
    const found = async () =>
      (await server.client.search('orchard')).hits.map(({ sessionId }) => sessionId)
    expect(new Set(await found())).toEqual(new Set(ids))
    const [first = ''] = ids
    await server.client.sessions.remove(first)
    expect(await found()).toEqual(ids.slice(1))
  })

  test('does not find the words that the log itself is written in', async () => {
    await begin('think')
    expect((await server.client.search('contentIndex')).hits).toEqual([])
    expect((await server.client.search('"role":"user"')).hits).toEqual([])
  })

  test('gives as many as were asked for, and says that there are more', async () => {
    await begin('think of plums', 'think of plums again')
    const one = await server.client.search('plums', { limit: 1 })
    expect(one).toMatchObject({ hits: [{ excerpt: 'think of plums' }], truncated: true })
    const both = await server.client.search('plums', { limit: 2 })
    expect(both.hits).toHaveLength(2)
    expect(both.truncated).toBeUndefined()
  })

  test.each(['', '?q=', '?q=%20', `?q=${'x'.repeat(201)}`, '?q=x&limit=0', '?q=x&more=1'])(
    'is refused: search%s',
    async (query) => {
      expect(await readProblem(server.api(`/search${query}`))).toMatchObject({
        status: 422,
        code: 'invalid',
      })
    },
  )

  test('needs a token', async () => {
    expect(await readProblem(server.api('/search?q=x', { token: null }))).toMatchObject({
      status: 401,
    })
  })
})

describe('a search in a log', () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-search-')))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const logWith = async (name: string, sessions: number) => {
    const log = await openSqliteLog(join(directory, name))
    for (let number = 1; number <= sessions; number += 1) {
      const id = `s${number}`
      const times = { createdAt: number, updatedAt: number }
      await log.sessions.create({ id, agent: 'demo', cwd: '/p', state: 'idle', ...times })
    }
    return log
  }

  test('goes through all sessions, however many, unless time is up', async () => {
    const log = await logWith('many', 120)
    const whole = await searchSessions(log, 'DEMO', { limit: 200 })
    expect(whole.hits.map(({ sessionId }) => sessionId)).toEqual(
      Array.from({ length: 120 }, (_, index) => `s${120 - index}`),
    )
    expect(whole).toMatchObject({ searched: 120 })
    expect(whole.truncated).toBeUndefined()
    const cut = await searchSessions(log, 'demo', { limit: 200, withinMs: 0 })
    expect(cut).toEqual({ hits: [], searched: 0, truncated: true })
    await log.close()
  })

  // Behind a stored snapshot that holds nothing, some, or all of it.
  test.each([0, 7, 70])('shows what a reader would see, with a snapshot at %d', async (place) => {
    const log = await logWith(`snapshot-${place}`, 1)
    const events = stampAll([
      start,
      ...say('a', 'A pear.'),
      open('b'),
      delta('b', 'An apple'),
      { type: 'message_withdrawn', messageId: 'b', reason: 'retried' },
      open('c'),
      close('c', [text('Look:')]),
      call('t'),
      result('t', 'pears.txt'),
      ...Array.from({ length: 30 }, (_, index) => say(`m${index}`, 'A fig.')).flat(),
    ]).map((event) => ({ ...event, sessionId: 's1' }))
    expect(events).toHaveLength(70)
    await log.append('s1', events)
    const then = applyAll(emptyTranscript('s1'), events.slice(0, place))
    const stored = JSON.stringify(toSnapshot(then, { projectId: 'p' }))
    if (place > 0) await log.snapshots.put('s1', place, packSnapshot(then, stored))
    const look = (words: string) => searchSessions(log, words, { limit: 100 })
    expect((await look('apple')).hits).toEqual([])
    expect((await look('pear')).hits).toMatchObject([
      { messageId: 'a', excerpt: 'A pear.' },
      { messageId: 'c', excerpt: 'bash ls pears.txt' },
    ])
    const figs = await look('fig')
    expect(figs).toMatchObject({ searched: 1, truncated: true })
    expect(figs.hits).toHaveLength(20)
    await log.close()
  })
})
