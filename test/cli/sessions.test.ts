import { expect, test } from 'vitest'
import { openSqliteLog } from '../../src/log/index.ts'
import { directoryOf, session } from '../log/samples.ts'
import { sluice } from '../support/sluice.ts'

test('sluice sessions: each by its name, else its title, else its directory', async () => {
  const data = directoryOf('cli-sessions')
  const log = await openSqliteLog(data)
  const title = 'Plant roses'
  const kept = [
    session('a', { createdAt: 1, cwd: '/home/garden' }),
    session('b', { createdAt: 2, title }),
    session('c', { createdAt: 3, title, name: 'Roses\u001b[2J' }),
  ]
  for (const each of kept) await log.sessions.create(each)
  await log.close()

  const listed = await sluice(['sessions', '--data', data])
  expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: '' })
  expect(listed.stdout.trimEnd().split('\n').map(columnsOf)).toEqual([
    ['c', 'pi', 'Roses [2J', '/project'],
    ['b', 'pi', 'Plant roses', '/project'],
    ['a', 'pi', 'garden', '/home/garden'],
  ])
  const json = await sluice(['sessions', '--data', data, '--json'])
  const records = json.stdout.trimEnd().split('\n')
  expect(records.map((line) => JSON.parse(line))).toEqual(kept.toReversed())
})

const columnsOf = (line: string): string[] =>
  line.split(/ {2,}/).filter((column) => !/^\d{4}-/.test(column))
