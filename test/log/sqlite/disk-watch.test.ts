import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LogFault, type LogStatus, openSqliteLog, refusalOf } from '../../../src/log/index.ts'
import { createDiskWatch } from '../../../src/log/sqlite/disk-watch.ts'
import { eventually } from '../../support/eventually.ts'
import { canMount, mountSmallDisk } from '../../support/small-disk.ts'
import { all, events, session, temporaryDirectory } from '../samples.ts'

const open = async (directory: string, minFree?: number | 'auto') => {
  const log = await openSqliteLog(directory, { minFree })
  onTestFinished(() => log.close())
  const seen: LogStatus['state'][] = []
  log.onStatus(({ state }) => seen.push(state))
  return { log, seen }
}

test('a log is fine until something goes wrong', async () => {
  const { log, seen } = await open(temporaryDirectory('disk'), 1)
  expect(await log.checkStatus()).toEqual({ state: 'ok' })
  expect(refusalOf(log.status())).toBeUndefined()
  expect(seen).toEqual([])
})

test('with less space than it needs, the log says so, and still writes', async () => {
  const { log, seen } = await open(temporaryDirectory('disk'), 1e18)
  const status = await log.checkStatus()
  expect(status).toMatchObject({ state: 'low_space', since: expect.any(Number) })
  expect(status.reason).toMatch(
    /^The disk is almost full: [\d.]+ [MGT]B are free, and Sluice needs/,
  )
  expect(refusalOf(status)).toMatchObject({ code: 'disk_full' })
  expect(seen).toEqual(['low_space'])
  await log.sessions.create(session('a'))
  await log.append('a', events('a', 1, 3))
})

test('writes make the log look at the space by themselves', async () => {
  const { log } = await open(temporaryDirectory('disk'), 1e18)
  await log.sessions.create(session('a'))
  await eventually(() => expect(log.status().state).toBe('low_space'))
})

test('a database that is moved away is noticed, and so is its return', async () => {
  const directory = temporaryDirectory('disk')
  const { log, seen } = await open(directory)
  await log.sessions.create(session('a'))
  const file = join(directory, 'sluice.db')
  renameSync(file, `${file}.away`)
  expect(await log.checkStatus()).toMatchObject({
    state: 'unwritable',
    reason: expect.stringContaining('was moved or deleted'),
  })
  writeFileSync(file, 'another file')
  expect((await log.checkStatus()).state).toBe('unwritable')
  renameSync(`${file}.away`, file)
  await eventually(() => expect(log.status().state).toBe('ok')) // without a call
  expect(seen).toEqual(['unwritable', 'ok'])
})

test('a reserve is there once the space was looked at, for its owner only', async () => {
  const directory = temporaryDirectory('disk')
  const { log } = await open(directory, 'auto')
  expect((await log.checkStatus()).state).toBe('ok')
  const { size, mode } = statSync(join(directory, 'sluice.reserve'))
  expect(size).toBeGreaterThanOrEqual(256 * 1024)
  expect(mode & 0o077).toBe(0)
})

describe('the watch itself', () => {
  const watch = (tryWrite: () => Promise<void>) => {
    const directory = temporaryDirectory('watch')
    const file = join(directory, 'sluice.db')
    writeFileSync(file, '')
    const created = createDiskWatch({ file, minFree: 1, tryWrite })
    onTestFinished(() => created.close())
    return { disk: created, reserve: join(directory, 'sluice.reserve') }
  }
  const sqliteError = (errcode: number) => Object.assign(new Error('sqlite'), { errcode })
  const fault = new LogFault('disk_full', 'The disk is full.')

  test('releases the reserve once, and makes a new one when the disk works again', async () => {
    let isFull = true
    const { disk, reserve } = watch(async () => {
      if (isFull) throw new Error('full')
    })
    await disk.checkStatus()
    expect(disk.onError(sqliteError(13), fault)).toBe(true)
    expect(existsSync(reserve)).toBe(false)
    expect(disk.onError(sqliteError(13), fault)).toBe(false)
    expect((await disk.checkStatus()).state).toBe('full')
    isFull = false
    await eventually(() => expect(disk.status().state).toBe('ok'))
    expect(existsSync(reserve)).toBe(true)
  })

  test.each([
    ['of one write', 19, 'ok'],
    ['of a damaged page', 11, 'ok'],
    ['of a disk that is read-only', 8, 'unwritable'],
    ['of a write', 778, 'unwritable'],
    ['of a flush', 1034, 'failed'],
  ])('an error %s (%i) leads to %s', (_, errcode, state) => {
    const { disk } = watch(async () => {})
    disk.onError(sqliteError(errcode), fault)
    expect(disk.status().state).toBe(state)
  })

  test('nothing follows a failed flush', async () => {
    const { disk } = watch(async () => {})
    disk.onError(new Error('EIO'), new LogFault('log_failed', 'The disk could not store the log.'))
    expect((await disk.checkStatus()).state).toBe('failed')
  })
})

describe.skipIf(!canMount)('on a small disk', () => {
  test('a full disk is noticed before it is full, and again when it is; it recovers', async () => {
    const disk = mountSmallDisk(16)
    const directory = join(disk.path, 'data')
    mkdirSync(directory)
    const { log, seen } = await open(directory, 'auto')
    await log.sessions.create(session('a'))
    await log.append('a', events('a', 1, 10))
    expect((await log.checkStatus()).state).toBe('ok')

    disk.fill(500 * 1024)
    expect((await log.checkStatus()).state).toBe('low_space')
    await log.append('a', events('a', 11, 10))

    disk.fill(0)
    let stored = 20
    // The WAL may still have room: write until it has none, and until the reserve is used up, too.
    const rejected = await (async () => {
      for (;;) {
        try {
          await log.append('a', events('a', stored + 1, 100))
          stored += 100
        } catch (cause) {
          return cause
        }
      }
    })()
    expect(rejected).toMatchObject({ code: 'disk_full' })
    expect(log.status().state).toBe('full')
    expect(existsSync(join(directory, 'sluice.reserve'))).toBe(false)
    expect(await log.head('a')).toBe(stored)

    disk.empty()
    await eventually(() => expect(log.status().state).toBe('ok')) // without a call
    await log.append('a', events('a', stored + 1, 10))
    expect((await all(log.read('a', 0))).map(({ seq }) => seq)).toEqual(
      Array.from({ length: stored + 10 }, (_, index) => index + 1),
    )
    expect(seen[0]).toBe('low_space')
    expect(seen.at(-1)).toBe('ok')
  })

  test('a log opens on a full disk if it has a reserve', async () => {
    const disk = mountSmallDisk(16)
    const directory = join(disk.path, 'data')
    const first = await openSqliteLog(directory, { minFree: 'auto' })
    await first.sessions.create(session('a'))
    await first.checkStatus()
    await first.close()
    disk.fill(0)
    const { log } = await open(directory, 'auto')
    expect(await log.sessions.get('a')).toMatchObject({ id: 'a' })
    expect((await log.checkStatus()).state).toBe('low_space')
  })
})
