import { expect, test } from 'vitest'
import type { AuditFilter, Log } from '../../src/log/index.ts'
import { auditEntry, events, session } from './samples.ts'

/** What every log promises about the audit, and about what quotas and restricted keys need. */
export const auditContract = (openLog: () => Promise<Log>): void => {
  test('entries are numbered, listed newest first, filtered, and read page by page', async () => {
    const { audit } = await openLog()
    const first = await audit.append(auditEntry({ sessionId: 'a', detail: 'Fix it' }))
    expect(first).toEqual({ id: 1, ...auditEntry({ sessionId: 'a', detail: 'Fix it' }) })
    await audit.append(auditEntry({ action: 'abort', sessionId: 'b', by: 'phone', actorId: 'b1' }))
    await audit.append(auditEntry({ action: 'key_created', detail: 'new' }))
    const ids = async (filter?: AuditFilter) =>
      (await audit.list(filter)).map(({ id }) => id).join(' ')
    expect(await ids()).toBe('3 2 1')
    expect(await ids({ sessionId: 'a' })).toBe('1')
    expect(await ids({ actor: 'phone' })).toBe('2')
    expect(await ids({ actor: 'b1' })).toBe('2')
    expect(await ids({ actor: 'ci', action: 'key_created' })).toBe('3')
    expect(await ids({ limit: 2 })).toBe('3 2')
    expect(await ids({ limit: 2, before: 2 })).toBe('1')
    expect((await audit.list()).at(-1)).toEqual(first)
  })

  test('an entry of another log has its number, once, and later ones have higher numbers', async () => {
    const { audit } = await openLog()
    await audit.append(auditEntry({ detail: 'own' }))
    const entry = { id: 3, ...auditEntry({ detail: 'from elsewhere' }) }
    await audit.put(entry)
    await audit.put({ ...entry, detail: 'other' })
    await audit.put({ ...entry, id: 1 })
    expect(await audit.append(auditEntry({ detail: 'later' }))).toMatchObject({ id: 4 })
    await audit.put({ ...entry, id: 2 })
    const all = (await audit.list()).map(({ id, detail }) => [id, detail])
    expect(all).toEqual([
      [4, 'later'],
      [3, 'from elsewhere'],
      [2, 'from elsewhere'],
      [1, 'own'],
    ])
  })

  test('an entry of an unknown action, or with a long detail, is refused', async () => {
    const { audit } = await openLog()
    const bad = [
      auditEntry({ detail: 'x'.repeat(501) }),
      { ...auditEntry(), action: 'fly' as 'abort' },
    ]
    for (const each of bad)
      await expect(audit.append(each)).rejects.toMatchObject({ code: 'invalid_record' })
    expect(await audit.list()).toEqual([])
  })

  test('removing a session leaves its entries', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    await log.audit.append(auditEntry({ sessionId: 'a' }))
    await log.sessions.remove('a')
    expect(await log.audit.list({ sessionId: 'a' })).toHaveLength(1)
  })

  test('sessions are listed by their creator, and within some projects and sessions', async () => {
    const { sessions } = await openLog()
    await sessions.create(session('a', { projectId: 'p', creatorId: 'k' }))
    await sessions.create(session('b', { projectId: 'q', comparisonId: 'x' }))
    await sessions.create(session('c', { forkedFrom: 'a' }))
    const ids = async (filter: Parameters<Log['sessions']['list']>[0]) =>
      (await sessions.list(filter)).map(({ id }) => id).join(' ')
    expect(await ids({ creatorId: 'k' })).toBe('a')
    expect([await ids({ comparisonId: 'x' }), await ids({ comparisonId: 'y' })]).toEqual(['b', ''])
    expect([await ids({ forkedFrom: 'a' }), await ids({ forkedFrom: 'b' })]).toEqual(['c', ''])
    expect([await sessions.countOf('k'), await sessions.countOf('other')]).toEqual([1, 0])
    expect(await ids({ within: { projects: ['q'], sessions: [] } })).toBe('b')
    expect(await ids({ within: { projects: ['q'], sessions: ['c'] } })).toBe('c b')
    expect(await ids({ within: { projects: ['q'], sessions: ['c'] }, limit: 1 })).toBe('c')
    expect(await ids({ within: { projects: ['q', 'p'], sessions: [] }, projectId: 'p' })).toBe('a')
    expect(await ids({ within: { projects: [], sessions: [] } })).toBe('')
  })

  test('blobs have owners, and events and blobs have a size', async () => {
    const log = await openLog()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    const { hash } = await log.blobs.put('a', Buffer.from('both'))
    await log.blobs.put('b', Buffer.from('both'))
    await log.blobs.put('b', Buffer.from('only b'))
    expect((await log.blobs.owners(hash)).sort()).toEqual(['a', 'b'])
    expect(await log.blobs.owners('0')).toEqual([])
    expect([await log.blobs.bytesOf('a'), await log.blobs.bytesOf('b')]).toEqual([4, 10])
    await log.append('a', events('a', 1, 3))
    const texts = events('a', 1, 3).map((event) => JSON.stringify(event).length)
    expect(await log.eventBytes('a', 0, 3)).toBe(texts.reduce((sum, each) => sum + each))
    expect(await log.eventBytes('a', 2, 9)).toBe(texts[2])
    expect(await log.eventBytes('a', 1, 2)).toBe(texts[1])
    expect(await log.eventBytes('a', 3, 3)).toBe(0)
    expect(await log.eventBytes('nothing', 0, 1)).toBe(0)
  })
}
