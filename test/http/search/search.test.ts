import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchSessions } from '../../../src/http/search/search-sessions.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'
import { packSnapshot } from '../../../src/streams/snapshots/stored-snapshot.ts'
import { applyEvents, emptyTranscript, toSnapshot } from '../../../src/transcript/index.ts'
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
  stampAll,
  start,
  text,
  wholeMessage,
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

  const createSession = async (...prompts: string[]): Promise<string> => {
    const { id } = await server.createDemoSession()
    for (const prompt of prompts) {
      const { seq } = await server.client.sessions.prompt(id, prompt)
      await waitForRunEnd(server, id, seq)
    }
    return id
  }

  test('finds prompts, replies and tool output, with the id of the message', async () => {
    const id = await createSession('think of a Needle, “quoted”', 'parallel')
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

  test('finds sessions by their name, without removed ones', async () => {
    const ids = [await createSession(), await createSession()]
    for (const id of ids) await server.client.sessions.update(id, { name: 'Orchard' })
    const found = async () =>
      (await server.client.search('orchard')).hits.map(({ sessionId }) => sessionId)
    expect(new Set(await found())).toEqual(new Set(ids))
    const [first = ''] = ids
    await server.client.sessions.remove(first)
    expect(await found()).toEqual(ids.slice(1))
  })

  test('does not find field names of the stored JSON', async () => {
    await createSession('think')
    expect((await server.client.search('contentIndex')).hits).toEqual([])
    expect((await server.client.search('"role":"user"')).hits).toEqual([])
  })

  test('returns as many hits as requested, and says when there are more', async () => {
    await createSession('think of plums', 'think of plums again')
    const one = await server.client.search('plums', { limit: 1 })
    expect(one).toMatchObject({ hits: [{ excerpt: 'think of plums' }], truncated: true })
    const both = await server.client.search('plums', { limit: 2 })
    expect(both.hits).toHaveLength(2)
    expect(both.truncated).toBeUndefined()
  })

  test.each(['', '?q=', '?q=%20', `?q=${'x'.repeat(201)}`, '?q=x&limit=0', '?q=x&more=1'])(
    'is refused with an invalid query: search%s',
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

  test('searches all sessions unless it runs out of time', async () => {
    const log = await logWith('many', 120)
    const whole = await searchSessions(log, { query: 'DEMO', limit: 200 })
    expect(whole.hits.map(({ sessionId }) => sessionId)).toEqual(
      Array.from({ length: 120 }, (_, index) => `s${120 - index}`),
    )
    expect(whole).toMatchObject({ searched: 120 })
    expect(whole.truncated).toBeUndefined()
    const cut = await searchSessions(log, { query: 'demo', limit: 200, withinMs: 0 })
    expect(cut).toEqual({ hits: [], searched: 0, truncated: true })
    await log.close()
  })

  // With a stored snapshot of no, some or all events.
  test.each([0, 7, 70])(
    'finds what a reader sees, with a stored snapshot at event %d',
    async (seq) => {
      const log = await logWith(`snapshot-${seq}`, 1)
      const events = stampAll([
        start,
        ...wholeMessage('a', 'A pear.'),
        open('b'),
        delta('b', 'An apple'),
        { type: 'message_withdrawn', messageId: 'b', reason: 'retried' },
        open('c'),
        close('c', [text('Look:')]),
        call('t'),
        result('t', 'pears.txt'),
        ...Array.from({ length: 30 }, (_, index) => wholeMessage(`m${index}`, 'A fig.')).flat(),
      ]).map((event) => ({ ...event, sessionId: 's1' }))
      expect(events).toHaveLength(70)
      await log.append('s1', events)
      const then = applyEvents(emptyTranscript('s1'), events.slice(0, seq))
      const stored = JSON.stringify(toSnapshot(then, { projectId: 'p' }))
      if (seq > 0) await log.snapshots.put('s1', seq, packSnapshot(then, `${seq}`, stored))
      const search = (query: string) => searchSessions(log, { query, limit: 100 })
      expect((await search('apple')).hits).toEqual([])
      expect((await search('pear')).hits).toMatchObject([
        { messageId: 'a', excerpt: 'A pear.' },
        { messageId: 'c', excerpt: 'bash ls pears.txt' },
      ])
      const figs = await search('fig')
      expect(figs).toMatchObject({ searched: 1, truncated: true })
      expect(figs.hits).toHaveLength(20)
      await log.close()
    },
  )
})
