import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLedger } from '../../src/ledger/index.ts'
import {
  type OpenCodeStore,
  openOpenCodeStore,
  type StoreCursor,
  type StoreLine,
} from '../../src/opencode-store/index.ts'
import { accountOf } from '../support/account.ts'
import { decodeChunks, decodeLines, recording } from '../support/recordings.ts'

const sample = new URL(
  '../../recordings/opencode-session-file/1.18.33/opencode.db',
  import.meta.url,
).pathname
const ids = {
  main: 'ses_e1e909fe3ffeJHcHjXLERuEd5p',
  thinking: 'ses_e1e90899cffebkJJxHFX7Pp6Fz',
  parent: 'ses_e1e9069a1ffeHi75FNP3AwiOxv',
  fork: 'ses_e1e9003a4ffe4plppsHdgr7bcG',
}

let directory: string
let file: string
let store: OpenCodeStore
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-store-'))
  file = join(directory, 'opencode.db')
  copyFileSync(sample, file)
  store = await openOpenCodeStore(file)
})
afterEach(() => {
  store.close()
  rmSync(directory, { recursive: true })
})

const linesOf = (id: string, from?: StoreCursor): { lines: StoreLine[]; cursor: StoreCursor } => {
  const lines: StoreLine[] = []
  let cursor = from
  for (;;) {
    const page = store.read(id, cursor)
    lines.push(...page.lines)
    cursor = page.cursor
    if (!page.hasMore) return { lines, cursor }
  }
}

/** Changes the database as OpenCode would: with another connection. */
const change = (sql: string) => {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`)
  database.close()
}

test('lists the sessions that are no subagents, in pages', () => {
  const sessions = store.sessions()
  expect(sessions).toHaveLength(5)
  expect(sessions).toContainEqual(
    expect.objectContaining({ id: ids.main, directory: '/home/dev/project', title: 'Aside title' }),
  )
  expect(store.sessions(sessions[0]?.id)).toEqual(sessions.slice(1))
})

test('reads the events of a session with those of its subagents, as they were recorded', () => {
  const recorded = recording('opencode-session-file/1.18.33/sub').bytes().toString()
  const lines = linesOf(ids.parent).lines.map((line) => `${JSON.stringify(line)}\n`)
  expect(lines.join('')).toBe(recorded)
})

test('counts what the messages cost once, over forks and subagents', () => {
  const ledger = createLedger()
  for (const { id } of store.sessions())
    for (const event of decodeLines('opencode', linesOf(id).lines))
      if (event.type !== 'session_start') ledger.add(event)
  // 3 answers of the first session, 1 with thoughts, 2 with a subagent of 2, and 1 after the fork.
  expect(ledger.totals()).toMatchObject({ input: 9000, cacheRead: 1800 })
  expect(ledger.totals().costUsd).toBeCloseTo(0.03237, 5)
})

test('the copied messages of a fork have the ids of the originals', () => {
  const answers = (id: string) =>
    accountOf(decodeLines('opencode', linesOf(id).lines)).answers.map((answer) => answer.id)
  expect(answers(ids.fork).slice(0, 3)).toEqual(answers(ids.main))
  expect(answers(ids.fork)).toHaveLength(4)
})

test('goes on after a cursor, and reports which sessions have changed', () => {
  const { lines, cursor } = linesOf(ids.main)
  const { place } = store.changes(0)
  expect(store.changes(place)).toEqual({ place, sessionIds: [] })
  change(`UPDATE event SET rowid = rowid + 1000 WHERE aggregate_id = '${ids.main}' AND seq = 47`)
  expect(store.changes(place).sessionIds).toEqual([ids.main])
  const [again] = lines.slice(-1)
  expect(linesOf(ids.main, { seqs: { [ids.main]: 46 } }).lines).toEqual([again])
  expect(linesOf(ids.main, cursor).lines).toEqual([])
})

test('what a subagent writes is a change of the session that started it', () => {
  const { place } = store.changes(0)
  change(`UPDATE event SET rowid = rowid + 1000
    WHERE aggregate_id IN (SELECT id FROM session WHERE parent_id = '${ids.parent}') AND seq = 29`)
  expect(store.changes(place).sessionIds).toEqual([ids.parent])
})

test('a session from before there were events has the same account', () => {
  const inOrder = (lines: readonly StoreLine[]) => {
    const { results, ...account } = accountOf(decodeLines('opencode', lines))
    const ofId = (id: string) => results.filter(({ toolCallId }) => toolCallId === id)
    return { ...account, results: account.calls.map((call) => ofId(call.id)) }
  }
  const withEvents = inOrder(linesOf(ids.main).lines)
  change('DELETE FROM event')
  const { lines, cursor } = linesOf(ids.main)
  expect(inOrder(lines)).toEqual(withEvents)
  expect(linesOf(ids.main, JSON.parse(JSON.stringify(cursor))).lines).toEqual([])
})

test('a row that is no JSON, or too deep, hides nothing else', () => {
  change(`UPDATE event SET data = '{"part"' WHERE aggregate_id = '${ids.main}' AND seq = 10;
    UPDATE event SET data = '${'['.repeat(5000)}' WHERE aggregate_id = '${ids.main}' AND seq = 11;
    UPDATE event SET data = x'00ff' WHERE aggregate_id = '${ids.main}' AND seq = 12;
    UPDATE message SET data = 'x' WHERE session_id = '${ids.main}'`)
  const events = decodeLines('opencode', linesOf(ids.main).lines)
  expect(events.filter(({ type }) => type === 'agent_end')).toHaveLength(2)
  expect(events.filter(({ type }) => type === 'raw')).toHaveLength(3)
})

test('sessions that are their own parents are read to an end', () => {
  change(`UPDATE session SET parent_id = '${ids.parent}' WHERE id = '${ids.parent}'`)
  expect(linesOf(ids.parent).lines).toHaveLength(57)
})

const hostile: [string, (path: string) => void, RegExp][] = [
  ['a link', (path) => symlinkSync(file, path), /ELOOP|symbolic/],
  ['a pipe', (path) => spawnSync('mkfifo', [path]), /not a regular file/],
  ['a text', (path) => writeFileSync(path, 'no database\n'.repeat(1000)), /not a database/],
  ['an empty file', (path) => writeFileSync(path, ''), /no table event/],
  [
    'a database with a view instead of a table',
    (path) => {
      copyFileSync(sample, path)
      const database = new DatabaseSync(path)
      database.exec('DROP TABLE session; CREATE VIEW session AS SELECT 1 AS id')
      database.close()
    },
    /no table session/,
  ],
]

test.each(hostile)('%s is refused with the reason', async (_, make, reason) => {
  const path = join(directory, 'other.db')
  make(path)
  await expect(openOpenCodeStore(path)).rejects.toThrow(reason)
  await expect(openOpenCodeStore(path)).rejects.toMatchObject({ code: 'file_not_readable' })
})

test('reads no other table: the logins are none of its business', () => {
  change("CREATE TABLE account (secret TEXT); INSERT INTO account VALUES ('s3cret-token')")
  const everything = store.sessions().flatMap(({ id }) => linesOf(id).lines)
  expect(JSON.stringify(everything)).not.toContain('s3cret-token')
})

test('the stream of `opencode run` and the rows of the same run have one account', () => {
  const { bytes } = recording('opencode-session-file/1.18.33/think-stream')
  expect(accountOf(decodeLines('opencode', linesOf(ids.thinking).lines))).toEqual(
    accountOf(decodeChunks('opencode', [bytes()])),
  )
})

test('a page of long messages has only a few, and the next ones have the others', () => {
  change(`DELETE FROM event; DELETE FROM part; DELETE FROM message; UPDATE session SET parent_id = NULL;
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 12)
    INSERT INTO message (id, session_id, time_created, time_updated, data)
      SELECT 'msg_' || (100 + n), '${ids.main}', n, n, '{"role":"user"}' FROM number;
    INSERT INTO part (id, message_id, session_id, time_created, time_updated, data)
      SELECT 'prt_' || id, id, session_id, 1, 1, '{"type":"text","text":"' || printf('%.*c', 2000000, 'x') || '"}'
      FROM message`)
  const { lines, hasMore } = store.read(ids.main)
  expect(hasMore).toBe(true)
  expect(lines.length).toBeLessThan(12)
  expect(linesOf(ids.main).lines).toHaveLength(25)
})

test('reading stops at a message that was never completed', () => {
  change(`DELETE FROM event; DELETE FROM part; DELETE FROM message;
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 80)
    INSERT INTO message (id, session_id, time_created, time_updated, data)
      SELECT 'msg_' || (100 + n), '${ids.main}', n, n, '{"role":"assistant","time":{"created":1}}' FROM number`)
  expect(store.read(ids.main)).toMatchObject({ lines: [], hasMore: false })
})

test('of a page of long events, only those that are returned are in memory', () => {
  change(`UPDATE event SET data = json_object('text', printf('%.*c', 7000000, 'x'))
    WHERE aggregate_id = '${ids.main}'`)
  const before = process.memoryUsage().rss
  const { lines, hasMore } = store.read(ids.main)
  expect(lines).toHaveLength(2)
  expect(hasMore).toBe(true)
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
})
