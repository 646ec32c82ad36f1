import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteLog } from '../../src/log/index.ts'
import { session, temporaryDirectory } from '../log/samples.ts'
import { sluice } from '../support/sluice.ts'

test('sluice sessions shows the name, else the title, else the directory', async () => {
  const data = temporaryDirectory('cli-sessions')
  const log = await openSqliteLog(data)
  const title = 'Plant roses'
  const kept = [
    session('a', { createdAt: 1, cwd: '/home/garden' }),
    session('b', { createdAt: 2, title }),
    session('d', { createdAt: 3, title: `${title} and ${'then more '.repeat(5)}` }),
    session('c', { createdAt: 4, title, name: 'Roses\u001b[2J' }),
  ]
  for (const each of kept) await log.sessions.create(each)
  await log.close()

  const listed = await sluice(['sessions', '--data', data])
  expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: '' })
  expect(listed.stdout.trimEnd().split('\n').map(columnsOf)).toEqual([
    ['c', 'pi', 'Roses', '/project'],
    ['d', 'pi', 'Plant roses and then more then more the… /project'],
    ['b', 'pi', 'Plant roses', '/project'],
    ['a', 'pi', 'garden', '/home/garden'],
  ])
  const json = await sluice(['sessions', '--data', data, '--json'])
  const records = json.stdout.trimEnd().split('\n')
  expect(records.map((line) => JSON.parse(line))).toEqual(kept.toReversed())
})

test('lists every session, however many there are', async () => {
  const data = temporaryDirectory('cli-many-sessions')
  const log = await openSqliteLog(data, { synchronous: 'NORMAL' })
  const ids = Array.from({ length: 60 }, (_, index) => `s${index}`)
  await Promise.all(ids.map((id, createdAt) => log.sessions.create(session(id, { createdAt }))))
  await log.close()
  const { stdout } = await sluice(['sessions', '--data', data])
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => columnsOf(line)[0]),
  ).toEqual(ids.toReversed())
})

test('a file is refused as a data directory', async () => {
  const file = join(temporaryDirectory('cli-file'), 'notes.txt')
  writeFileSync(file, 'Roses.\n')
  const { code, stderr, stdout } = await sluice(['sessions', '--data', file])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe(`sluice: ${file} is a file, not a data directory.\n`)
})

const columnsOf = (line: string): string[] =>
  line.split(/ {2,}/).filter((column) => !/^\d{4}-/.test(column))

test('a session is pinned and unpinned, and the list shows it', async () => {
  const data = temporaryDirectory('cli-pins')
  const log = await openSqliteLog(data)
  await log.sessions.create(session('a'))
  await log.close()
  expect(await sluice(['pin', 'a', '--data', data])).toMatchObject({
    ...{ code: 0, stderr: '', stdout: 'Pinned a. `sluice serve --keep` never deletes it.\n' },
  })
  const listed = await sluice(['sessions', '--data', data])
  expect(columnsOf(listed.stdout.trimEnd())).toContain('pinned')
  expect(await sluice(['unpin', 'a', '--data', data])).toMatchObject({ code: 0 })
  expect((await sluice(['sessions', '--data', data])).stdout).not.toContain('pinned')
  expect(await sluice(['pin', 'b', '--data', data])).toMatchObject({
    ...{
      code: 2,
      stderr: 'sluice: Session b does not exist. List the stored sessions with: sluice sessions\n',
    },
  })
})
