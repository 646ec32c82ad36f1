import { expect, test } from 'vitest'
import type { BrowserRecord, Log, PasskeyRecord } from '../../src/log/index.ts'
import { events, key, loop, project, session } from './samples.ts'

/** What every log promises about snapshots. */
export const snapshotsContract = (openLog: () => Promise<Log>): void => {
  test('the newest snapshot is kept, in whatever order they are put', async () => {
    const log = await openLog()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    await log.append('a', events('a', 1, 9))
    expect(await log.snapshots.get('a')).toBeUndefined()
    await Promise.all([5, 3, 4].map((seq) => log.snapshots.put('a', seq, `{"seq":${seq}}`)))
    expect(await log.snapshots.get('a')).toEqual({ seq: 5, text: '{"seq":5}' })
    await log.snapshots.put('a', 5, '{"again":true}')
    await log.snapshots.put('b', 0, '{}')
    expect(await log.snapshots.get('a')).toEqual({ seq: 5, text: '{"again":true}' })
    expect(await log.snapshots.get('b')).toEqual({ seq: 0, text: '{}' })
    expect(await log.snapshots.get('nobody')).toBeUndefined()
  })

  test('a snapshot is stored after the events appended before it, and never ahead of them', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const text = JSON.stringify({ text: 'ü🙂 \u0000 '.repeat(50_000) })
    const writing = [log.append('a', events('a', 1, 3)), log.snapshots.put('a', 3, text)]
    const ahead = log.snapshots.put('a', 4, '{}')
    await expect(ahead).rejects.toMatchObject({ name: 'LogFault', code: 'snapshot_ahead' })
    await Promise.all(writing)
    expect(await log.snapshots.get('a')).toEqual({ seq: 3, text })
    const unknown = log.snapshots.put('nobody', 0, '{}')
    await expect(unknown).rejects.toMatchObject({ code: 'unknown_session' })
  })
}

/** What every log promises about projects. */
export const projectsContract = (openLog: () => Promise<Log>): void => {
  test('projects are created, found, listed in order of creation and removed', async () => {
    const log = await openLog()
    const [first, second] = [project('z', { name: 'naïve 🙂' }), project('a', { createdAt: 1 })]
    for (const each of [first, second]) await log.projects.create(each)
    await log.sessions.create(session('s', { projectId: 'z' }))
    expect(await log.projects.get('z')).toEqual(first)
    expect(await log.projects.get('nothing')).toBeUndefined()
    expect(await log.projects.list()).toEqual([first, second])
    await expect(log.projects.create(first)).rejects.toMatchObject({ code: 'project_exists' })
    await log.projects.remove('z')
    await expect(log.projects.remove('z')).rejects.toMatchObject({ code: 'unknown_project' })
    expect(await log.projects.list()).toEqual([second])
    expect(await log.sessions.list({ projectId: 'z' })).toHaveLength(1)
    await log.projects.create(first)
    expect(await log.projects.list()).toEqual([second, first])
  })

  test('invalid records are rejected', async () => {
    const log = await openLog()
    for (const bad of [project(''), project('a', { path: '' }), project('a', { createdAt: 0.5 })])
      await expect(log.projects.create(bad)).rejects.toMatchObject({ code: 'invalid_record' })
    expect(await log.projects.list()).toEqual([])
  })
}

/** What every log promises about keys. */
export const keysContract = (openLog: () => Promise<Log>): void => {
  test('keys are created, listed in order of creation, used and revoked', async () => {
    const log = await openLog()
    for (const id of ['z', 'a']) await log.keys.create(key(id))
    expect(await log.keys.list()).toEqual([key('z'), key('a')])
    expect(await log.keys.get('nothing')).toBeUndefined()
    await expect(log.keys.create(key('a'))).rejects.toMatchObject({ code: 'key_exists' })
    await log.keys.touch('a', 2000)
    expect(await log.keys.revoke('a', 3000)).toEqual(
      key('a', { lastUsedAt: 2000, revokedAt: 3000 }),
    )
    expect(await log.keys.revoke('a', 4000)).toMatchObject({ revokedAt: 3000 })
    expect(await log.keys.get('a')).toEqual(key('a', { lastUsedAt: 2000, revokedAt: 3000 }))
    expect(await log.keys.get('z')).toEqual(key('z'))
    for (const missing of [log.keys.revoke('nothing', 1), log.keys.touch('nothing', 1)])
      await expect(missing).rejects.toMatchObject({ code: 'unknown_key' })
  })

  test('invalid records are rejected', async () => {
    const log = await openLog()
    const bad = [key(''), key('a', { hash: 'sluice_plain' }), key('a', { scopes: [] })]
    for (const each of bad)
      await expect(log.keys.create(each)).rejects.toMatchObject({ code: 'invalid_record' })
    expect(await log.keys.list()).toEqual([])
  })
}

/** What every log promises about stores of plain records. */
export const recordsContract = (openLog: () => Promise<Log>): void => {
  test('records are put, replaced, listed in the order of their first put, and removed', async () => {
    const { settings } = await openLog()
    await settings.put({ id: 'z', value: '1' })
    await settings.put({ id: 'a', value: '2' })
    await settings.put({ id: 'z', value: '3' })
    expect(await settings.list()).toEqual([
      { id: 'z', value: '3' },
      { id: 'a', value: '2' },
    ])
    expect(await settings.get('z')).toEqual({ id: 'z', value: '3' })
    expect(await settings.get('nothing')).toBeUndefined()
    expect(await settings.remove('z')).toBe(true)
    expect(await settings.remove('z')).toBe(false)
    expect(await settings.list()).toEqual([{ id: 'a', value: '2' }])
  })

  test('a record is changed from its newest text, also by several at once', async () => {
    const { settings } = await openLog()
    const add = (record: { value: string } | undefined) => ({
      ...{ id: 'sum', value: String(Number(record?.value ?? 0) + 1) },
    })
    await Promise.all(Array.from({ length: 10 }, () => settings.change('sum', add)))
    expect(await settings.get('sum')).toEqual({ id: 'sum', value: '10' })
    expect(await settings.change('sum', () => undefined)).toEqual({ id: 'sum', value: '10' })
    expect(await settings.change('none', (record) => record)).toBeUndefined()
    expect(await settings.list()).toHaveLength(1)
    const invalid = settings.change('sum', () => ({ id: '', value: '' }))
    await expect(invalid).rejects.toMatchObject({ code: 'invalid_record' })
  })

  test('browsers and passkeys are stored as they are, and invalid ones refused', async () => {
    const { browsers, passkeys } = await openLog()
    await browsers.put(browser('b'))
    expect(await browsers.list()).toEqual([browser('b')])
    await passkeys.put(passkey('p'))
    expect(await passkeys.get('p')).toEqual(passkey('p'))
    expect(await passkeys.get('b')).toBeUndefined()
    for (const invalid of [{ secret: 'plain text' }, { scopes: [] }, { name: '' }])
      await expect(browsers.put({ ...browser('c'), ...invalid })).rejects.toMatchObject({
        code: 'invalid_record',
      })
    expect(await browsers.list()).toHaveLength(1)
  })

  test('a budget replaces the one with its id', async () => {
    const { budgets } = await openLog()
    const budget = {
      id: 'day',
      scope: 'day',
      limits: { costUsd: 5 },
      onExceeded: 'ask',
      createdAt: 1,
    } as const
    await budgets.put(budget)
    await budgets.put({ ...budget, limits: { tokens: 10 } })
    expect(await budgets.list()).toEqual([{ ...budget, limits: { tokens: 10 } }])
    for (const limits of [{ costUsd: -1 }, { tokens: 0 }, { durationMs: 0.5 }])
      await expect(budgets.put({ ...budget, limits })).rejects.toMatchObject({
        code: 'invalid_record',
      })
  })

  test('a decision about a directory replaces the earlier one', async () => {
    const { trust } = await openLog()
    const decision = { id: '/z', hash: 'a'.repeat(64), isTrusted: true, by: 'Firefox 🙂', at: 1 }
    await trust.put(decision)
    await trust.put({ ...decision, isTrusted: false })
    expect(await trust.list()).toEqual([{ ...decision, isTrusted: false }])
    expect(await trust.get('/z/below')).toBeUndefined()
    for (const bad of [{ id: '' }, { hash: 'abc' }])
      await expect(trust.put({ ...decision, ...bad })).rejects.toMatchObject({
        code: 'invalid_record',
      })
  })

  test('loops are stored as they are, and invalid ones refused', async () => {
    const { loops } = await openLog()
    await loops.put(loop('a'))
    await loops.put(loop('a', { state: 'paused', iterationCount: 2 }))
    expect(await loops.list()).toEqual([loop('a', { state: 'paused', iterationCount: 2 })])
    for (const bad of [{ promise: '' }, { limits: { maxIterations: 0 } }, { lastText: 'plain' }])
      await expect(loops.put(loop('b', bad))).rejects.toMatchObject({ code: 'invalid_record' })
  })
}

const browser = (id: string): BrowserRecord => ({
  id,
  name: 'Firefox on Linux',
  scopes: ['read'],
  secret: 'a'.repeat(64),
  page: 'b'.repeat(64),
  rotatedAt: 1000,
  used: ['c'.repeat(64)],
  createdAt: 1000,
  lastUsedAt: 1000,
  expiresAt: 2000,
})

const passkey = (id: string): PasskeyRecord => ({
  id,
  name: 'Laptop',
  publicKey: 'AAAA',
  counter: 0,
  host: 'localhost',
  createdAt: 1000,
  createdBy: 'Firefox on Linux',
})
