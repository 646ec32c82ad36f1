import { describe, expect, onTestFinished, test } from 'vitest'
import type { Log, SessionFilter, SessionRecord } from '../../src/log/index.ts'
import { auditContract } from './contract-audit.ts'
import { commandsContract } from './contract-commands.ts'
import { eventsContract } from './contract-events.ts'
import { ledgerContract } from './contract-ledger.ts'
import { movedContract } from './contract-moved.ts'
import {
  keysContract,
  projectsContract,
  recordsContract,
  snapshotsContract,
} from './contract-records.ts'
import { spendingContract } from './contract-spending.ts'
import { approval, auditEntry, events, row, session, temporaryDirectory } from './samples.ts'

/** Opens a log. It may store its data in the directory. */
export type OpenLog = (directory: string) => Promise<Log>

/** Tests what `Log` promises. Each backend runs it. */
export const logContract = (name: string, open: OpenLog): void => {
  const openLog = async (): Promise<Log> => {
    const log = await open(temporaryDirectory('log'))
    onTestFinished(() => log.close())
    return log
  }

  describe(`${name}: events`, () => eventsContract(openLog))
  describe(`${name}: sessions`, () => sessionsContract(openLog))
  describe(`${name}: blobs`, () => blobsContract(openLog))
  describe(`${name}: approvals`, () => approvalsContract(openLog))
  describe(`${name}: commands`, () => commandsContract(openLog))
  describe(`${name}: ledger`, () => ledgerContract(openLog))
  describe(`${name}: spending`, () => spendingContract(openLog))
  describe(`${name}: snapshots`, () => snapshotsContract(openLog))
  describe(`${name}: projects`, () => projectsContract(openLog))
  describe(`${name}: keys`, () => keysContract(openLog))
  describe(`${name}: audit`, () => auditContract(openLog))
  describe(`${name}: records`, () => recordsContract(openLog))
  describe(`${name}: moved`, () => movedContract(openLog))

  describe(`${name}: close`, () => {
    test('finishes earlier writes and rejects later calls', async () => {
      const log = await openLog()
      await log.sessions.create(session('a'))
      const last = log.append('a', events('a', 1, 3))
      await Promise.all([log.close(), log.close()])
      await expect(last).resolves.toBeUndefined()
      const rejected = [
        log.append('a', events('a', 4, 1)),
        log.head('a'),
        log.read('a', 0)[Symbol.asyncIterator]().next(),
        log.sessions.create(session('b')),
        log.sessions.get('a'),
        log.sessions.list(),
        log.blobs.get('0'),
        log.approvals.list(),
        log.commands.list('a'),
        log.commands.receipt('k'),
        log.commands.remove(['c']),
        log.ledger.list('a'),
        log.spending.total(),
        log.snapshots.put('a', 1, '{}'),
        log.snapshots.get('a'),
        log.projects.list(),
        log.keys.list(),
        log.keys.touch('k', 1),
        log.audit.append(auditEntry()),
        log.audit.list(),
        log.browsers.list(),
        log.settings.put({ id: 's', value: '' }),
        log.space(),
      ]
      for (const each of rejected) await expect(each).rejects.toMatchObject({ code: 'closed' })
    })
  })
}

const sessionsContract = (openLog: () => Promise<Log>): void => {
  test('a record is read back as it was created', async () => {
    const log = await openLog()
    const whole = session('a', {
      projectId: 'p',
      name: 'naïve 🙂',
      model: 'm',
      nativeId: 'n',
      pid: 12,
      pidStartedAt: 3456,
    })
    await log.sessions.create(whole)
    expect(await log.sessions.get('a')).toEqual(whole)
    expect(await log.sessions.get('b')).toBeUndefined()
    await expect(log.sessions.create(whole)).rejects.toMatchObject({ code: 'session_exists' })
  })

  test('a patch changes fields, removes those that are null and ignores those that are undefined', async () => {
    const log = await openLog()
    await log.sessions.create(session('a', { pid: 12, name: 'old', model: 'm' }))
    const changed = session('a', { name: 'new', model: 'm', state: 'running', updatedAt: 2000 })
    const patch = { name: 'new', state: 'running', updatedAt: 2000, pid: null } as const
    expect(await log.sessions.update('a', { ...patch, model: undefined })).toEqual(changed)
    expect(await log.sessions.get('a')).toEqual(changed)
    expect(await log.sessions.list({ state: 'running' })).toEqual([changed])
    await expect(log.sessions.update('b', {})).rejects.toMatchObject({ code: 'unknown_session' })
  })

  test('an invalid record is rejected, and the writes beside it are not', async () => {
    const log = await openLog()
    const [bad, good] = [log.sessions.create(session('', {})), log.sessions.create(session('good'))]
    await expect(bad).rejects.toMatchObject({ code: 'invalid_record' })
    await good
    const patch = log.sessions.update('good', { pid: -1 })
    await expect(patch).rejects.toMatchObject({ code: 'invalid_record' })
    expect(await log.sessions.list()).toEqual([session('good')])
  })

  test('sessions are listed in the order of their creation, also when the clock goes back', async () => {
    const log = await openLog()
    for (const [index, createdAt] of [5000, 6000, 100, 101, 7000, 100].entries())
      await log.sessions.create(session(`s${index}`, { createdAt }))
    const ids = async (filter?: SessionFilter) =>
      (await log.sessions.list(filter)).map(({ id }) => id)
    expect(await ids()).toEqual(['s5', 's4', 's3', 's2', 's1', 's0'])
    const paged: string[] = []
    let before: SessionRecord | undefined
    for (;;) {
      const [next] = await log.sessions.list({ before, limit: 1 })
      if (!next) break
      paged.push(next.id)
      before = next
    }
    expect(paged).toEqual(['s5', 's4', 's3', 's2', 's1', 's0'])
    // The cursor stays valid when its session is deleted, and a cursor of nobody ends the list.
    await log.sessions.remove('s4')
    expect(await ids({ before: { id: 's4', createdAt: 7000 } })).toEqual(
      expect.arrayContaining(['s3', 's2', 's1', 's0']),
    )
    expect(await ids({ before: { id: '', createdAt: 0 } })).toEqual([])
    await log.close()
  })

  test('sessions are listed newest first, by project, agent and state, page by page', async () => {
    const log = await openLog()
    for (let index = 0; index < 10; index += 1)
      await log.sessions.create(
        session(`s${index}`, {
          createdAt: 1000 + Math.floor(index / 2), // two sessions of each age
          agent: index % 2 ? 'pi' : 'claude',
          ...(index < 5 && { projectId: 'p' }),
          state: index === 3 ? 'ended' : 'idle',
          ...(index === 9 && { removedAt: 5000 }),
        }),
      )
    const ids = async (filter: Parameters<Log['sessions']['list']>[0]) =>
      (await log.sessions.list(filter)).map((each) => each.id).join(' ')
    expect(await ids({})).toBe('s8 s7 s6 s5 s4 s3 s2 s1 s0')
    expect(await ids({ includeRemoved: true, limit: 2 })).toBe('s9 s8')
    expect(await ids({ projectId: 'p', agent: 'pi' })).toBe('s3 s1')
    expect(await ids({ projectId: 'p', state: 'idle' })).toBe('s4 s2 s1 s0')
    const pages: string[] = []
    let before: { id: string; createdAt: number } | undefined
    for (;;) {
      const page = await log.sessions.list({ limit: 4, before })
      before = page.at(-1)
      if (!before) break
      pages.push(page.map((each) => each.id).join(' '))
    }
    expect(pages).toEqual(['s8 s7 s6 s5', 's4 s3 s2 s1', 's0'])
  })

  test('remove deletes everything of one session and nothing of another', async () => {
    const log = await openLog()
    for (const id of ['a', 'b']) {
      await log.sessions.create(session(id))
      await log.append(id, events(id, 1, 1500))
      await log.approvals.put(approval(`approval of ${id}`, id))
      await log.ledger.put(id, [row(id, 'k', 1)])
      await log.snapshots.put(id, 1500, `{"of":"${id}"}`)
    }
    const own = await log.blobs.put('a', Buffer.from('only a'))
    const shared = await log.blobs.put('a', Buffer.from('both'))
    await log.blobs.put('b', Buffer.from('both'))
    await log.sessions.remove('a')
    expect(await log.sessions.list()).toEqual([session('b')])
    expect(await log.head('a')).toBe(0)
    expect(await log.head('b')).toBe(1500)
    expect(await log.approvals.list()).toEqual([approval('approval of b', 'b')])
    expect(await log.ledger.list('a')).toEqual([])
    expect(await log.snapshots.get('a')).toBeUndefined()
    expect(await log.snapshots.get('b')).toEqual({ seq: 1500, text: '{"of":"b"}' })
    expect(await log.blobs.get(own.hash)).toBeUndefined()
    expect(await log.blobs.get(shared.hash)).toBeDefined()
    await expect(log.sessions.remove('a')).rejects.toMatchObject({ code: 'unknown_session' })
    await log.sessions.create(session('a'))
    await log.append('a', events('a', 1, 2)) // a session with a reused id starts empty
    expect(await log.head('a')).toBe(2)
  })
}

const blobsContract = (openLog: () => Promise<Log>): void => {
  test('bytes are read by their hash, with the type they were first put with', async () => {
    const log = await openLog()
    await log.sessions.create(session('a'))
    const bytes = new Uint8Array(300_000).map((_, index) => (index * 7) % 256)
    const buffer = bytes.slice()
    const putting = log.blobs.put('a', buffer, 'image/png')
    buffer.fill(0) // the caller may reuse its buffer
    const ref = await putting
    expect(ref).toMatchObject({ size: 300_000, mimeType: 'image/png' })
    expect(ref.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(await log.blobs.put('a', bytes, 'text/plain')).toMatchObject({ hash: ref.hash })
    const blob = await log.blobs.get(ref.hash)
    expect(blob?.mimeType).toBe('image/png')
    expect(Buffer.compare(blob?.bytes ?? new Uint8Array(), bytes)).toBe(0)
    expect(await log.blobs.get('0'.repeat(64))).toBeUndefined()
    const empty = await log.blobs.put('a', new Uint8Array())
    expect(await log.blobs.get(empty.hash)).toEqual({ bytes: new Uint8Array() })
  })

  test('a blob needs an existing session', async () => {
    const log = await openLog()
    const put = log.blobs.put('nobody', Buffer.from('x'))
    await expect(put).rejects.toMatchObject({ code: 'unknown_session' })
  })
}

const approvalsContract = (openLog: () => Promise<Log>): void => {
  test('approvals are put, replaced, and listed by session and status, oldest first', async () => {
    const log = await openLog()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    await log.approvals.put(approval('2', 'a', { createdAt: 2000 }))
    await log.approvals.put(approval('1', 'a', { createdAt: 1000 }))
    await log.approvals.put(approval('3', 'b', { createdAt: 3000 }))
    const answered = approval('2', 'a', {
      createdAt: 2000,
      status: 'answered',
      action: 'allow',
      by: 'ann',
      message: 'fine',
      updatedInput: { command: 'ls -l' },
      resolvedAt: 2500,
    })
    await log.approvals.put(answered)
    const ids = async (filter: Parameters<Log['approvals']['list']>[0]) =>
      (await log.approvals.list(filter)).map((each) => each.approvalId).join(' ')
    await log.approvals.put(approval('2', 'a', { createdAt: 2000 })) // late: it is decided
    expect(await log.approvals.get('2')).toEqual(answered)
    expect(await log.approvals.get('4')).toBeUndefined()
    expect(await ids({})).toBe('1 2 3')
    expect(await ids({ status: 'pending' })).toBe('1 3')
    expect(await ids({ sessionId: 'a' })).toBe('1 2')
    expect(await ids({ sessionId: 'a', status: 'answered' })).toBe('2')
    expect(await ids({ sessionId: 'c' })).toBe('')
    const again = approval('2', 'a', { createdAt: 4000 })
    await log.approvals.put(again)
    expect(await log.approvals.get('2')).toEqual(again)
  })

  test('an approval needs an existing session and never replaces one of another session', async () => {
    const log = await openLog()
    for (const id of ['a', 'b']) await log.sessions.create(session(id))
    await log.approvals.put(approval('1', 'a'))
    const foreign = log.approvals.put(approval('1', 'b'))
    await expect(foreign).rejects.toMatchObject({ code: 'approval_exists' })
    const unknown = log.approvals.put(approval('2', 'nobody'))
    await expect(unknown).rejects.toMatchObject({ code: 'unknown_session' })
    expect(await log.approvals.get('1')).toEqual(approval('1', 'a'))
  })
}
