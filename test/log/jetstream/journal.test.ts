import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createJournal, type Journal } from '../../../src/log/jetstream/journal.ts'
import { type JournalFile, openJournalFile } from '../../../src/log/jetstream/journal-file.ts'
import type { JournalWrite } from '../../../src/log/jetstream/journal-record.ts'
import { createSetAside } from '../../../src/log/jetstream/set-aside.ts'
import { closedLog, LogFault } from '../../../src/log/log-fault.ts'
import { temporaryDirectory } from '../samples.ts'

const write = (sessionId: string, first: number, count: number): JournalWrite => ({
  kind: 'events',
  ...{ sessionId, first },
  texts: Array.from({ length: count }, (_, index) =>
    JSON.stringify({ seq: first + index, t: 'ä' }),
  ),
})
const blob: JournalWrite = {
  ...{ kind: 'blob', sessionId: 'a', mimeType: 'image/png' },
  bytes: new Uint8Array([0, 10, 255]),
}

const openFile = async (path: string) => {
  const { file, content, damaged } = await openJournalFile(path)
  await file.close()
  return { ...content, damaged }
}

test('what was appended is read again', async () => {
  const path = join(temporaryDirectory('journal'), 'sub', 'j')
  const { file } = await openJournalFile(path)
  await file.append([write('a', 1, 3), blob])
  await file.append([write('b', 7, 1)])
  expect(file.size()).toBe(statSync(path).size)
  await file.close()
  const found = await openFile(path)
  expect(found.writes).toEqual([write('a', 1, 3), blob, write('b', 7, 1)])
  expect(found.isDamaged).toBe(false)
})

test('a torn end is cut at every byte, and the journal goes on behind it', async () => {
  const directory = temporaryDirectory('journal')
  const path = join(directory, 'j')
  const { file } = await openJournalFile(path)
  await file.append([write('a', 1, 3)])
  const whole = file.size()
  await file.append([write('a', 4, 2)])
  await file.close()
  const bytes = readFileSync(path)
  for (let length = whole; length < bytes.length; length += 1) {
    const torn = join(directory, `torn-${length}`)
    appendFileSync(torn, bytes.subarray(0, length))
    const opened = await openJournalFile(torn)
    expect(opened.content).toMatchObject({ writes: [write('a', 1, 3)], isDamaged: false })
    await opened.file.append([write('b', 1, 1)])
    await opened.file.close()
    expect((await openFile(torn)).writes).toEqual([write('a', 1, 3), write('b', 1, 1)])
  }
})

test('wrong bytes in the middle are reported, and nothing behind them is read', async () => {
  const path = join(temporaryDirectory('journal'), 'j')
  const { file } = await openJournalFile(path)
  await file.append([write('a', 1, 1)])
  const at = file.size() + 20
  await file.append([write('a', 2, 1), write('a', 3, 1)])
  await file.close()
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  truncateSync(path)
  appendFileSync(path, bytes)
  const found = await openFile(path)
  expect(found.writes).toEqual([write('a', 1, 1)])
  expect(found.isDamaged).toBe(true)
  expect(found.damaged?.length).toBeGreaterThan(100)
})

const open = async (limits = { bytes: 1e6, events: 1000 }, wrap = (file: JournalFile) => file) => {
  const directory = temporaryDirectory('journal')
  mkdirSync(directory, { recursive: true })
  const path = join(directory, 'j')
  const { file } = await openJournalFile(path)
  const errors: unknown[] = []
  const journal = createJournal({
    ...{ file: wrap(file), limits, setAside: createSetAside(directory) },
    onError: (cause) => errors.push(cause),
  })
  return { journal, path, directory, errors, content: () => openFile(path) }
}

const writtenTo = async (journal: Journal): Promise<void> => journal.flush()

test('nothing is written while the cluster answers; what is held when it is away is', async () => {
  const { journal, content, path } = await open()
  const first = journal.hold(write('a', 1, 1))
  journal.stored(first)
  const second = journal.hold(write('a', 2, 1))
  expect(statSync(path).size).toBe(0)
  journal.setRecording(true)
  const third = journal.hold(write('a', 3, 1))
  await writtenTo(journal)
  expect((await content()).writes).toEqual([write('a', 2, 1), write('a', 3, 1)])
  journal.setRecording(false)
  journal.stored(second)
  expect(journal.isDrained()).toBe(false)
  journal.stored(third)
  await expect.poll(() => journal.isDrained()).toBe(true)
  expect(statSync(path).size).toBe(0)
  await journal.close()
})

test('at the limit sources must pause, but nothing is left out, until all is stored', async () => {
  const { journal, content } = await open({ bytes: 1e6, events: 10 })
  journal.setRecording(true)
  let changes = 0
  journal.onProblem(() => {
    changes += 1
  })
  const held = [journal.hold(write('a', 1, 9))]
  await writtenTo(journal)
  expect(journal.problem()).toBeUndefined()
  held.push(journal.hold(write('b', 1, 1)))
  await expect.poll(() => journal.problem()).toEqual({ kind: 'limit' })
  held.push(journal.hold(write('b', 2, 5)))
  await writtenTo(journal)
  expect((await content()).writes).toHaveLength(3)
  for (const each of held) journal.stored(each)
  await expect.poll(() => journal.problem()).toBeUndefined()
  expect(changes).toBe(2)
  await journal.close()
})

test('a disk that is full makes sources pause, and what waits is written when there is space', async () => {
  let isFull = true
  const { journal, content } = await open(undefined, (file) => ({
    ...file,
    async append(writes) {
      if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      await file.append(writes)
    },
  }))
  journal.setRecording(true)
  journal.hold(write('a', 1, 1))
  await expect.poll(() => journal.problem()).toMatchObject({ kind: 'disk' })
  journal.hold(write('a', 2, 1))
  isFull = false
  await writtenTo(journal)
  expect(journal.problem()).toBeUndefined()
  expect((await content()).writes).toEqual([write('a', 1, 1), write('a', 2, 1)])
  await journal.close()
})

test('what another node has made impossible to store is set aside, what was closed is not', async () => {
  const { journal, content, directory, errors } = await open()
  journal.setRecording(true)
  const fenced = journal.hold(write('a/b', 1, 2))
  const closed = journal.hold(write('b', 1, 1))
  await writtenTo(journal)
  journal.failed(fenced, new LogFault('fenced', 'Another node has taken over session a/b.'))
  journal.failed(closed, closedLog())
  const [aside] = readdirSync(directory).filter((name) => name.startsWith('aside-a%2Fb-'))
  const path = join(directory, aside ?? '')
  expect(readFileSync(path, 'utf8')).toBe('{"seq":1,"t":"ä"}\n{"seq":2,"t":"ä"}\n')
  // Those that fail together are reported together.
  await expect
    .poll(() => errors)
    .toMatchObject([{ code: 'fenced', message: expect.stringContaining(path) }])
  await journal.close()
  expect((await content()).writes).toContainEqual(write('b', 1, 1))
})
