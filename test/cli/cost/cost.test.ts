import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqliteLog } from '../../../src/log/index.ts'
import { session, temporaryDirectory, usageEvent } from '../../log/samples.ts'
import { sluice } from '../../support/sluice.ts'

const createData = async (): Promise<string> => {
  const data = temporaryDirectory('cli-cost')
  const log = await openSqliteLog(data)
  await log.sessions.create(session('a', { title: 'Roses' }))
  const at = Date.parse('2026-11-15T10:00Z')
  await log.append('a', [usageEvent('a', 1, at, { opus: { input: 12, costUsd: 2.5 } })])
  await log.close()
  return data
}

test('sluice cost prints a table, JSON or CSV, also while the log is open', async () => {
  const data = await createData()
  const log = await openSqliteLog(data)
  const cost = (...args: string[]) => sluice(['cost', '--data', data, '--timezone', 'UTC', ...args])
  const table = await cost()
  expect(table).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'Day         Input  Output  Cache rd  Cache wr  Calls   Cost',
      '2026-11-15     12       0         0         0      0  $2.50',
      'Total          12       0         0         0      0  $2.50',
      '',
    ].join('\n'),
  })
  const json = JSON.parse((await cost('--by', 'session', '--json')).stdout)
  expect(json).toMatchObject({ group: 'session', rows: [{ key: 'a', name: 'Roses' }] })
  expect((await cost('--csv', '--since', '2026-11-16')).stdout.split('\n')).toHaveLength(2)
  const line = await sluice(['cost', '--data', data, '--statusline'], { input: '{}' })
  expect(line.stdout).toMatch(/ today\n$/)
  await log.close()
})

test('sessions of an older version are added up first', async () => {
  const data = await createData()
  const database = new DatabaseSync(join(data, 'sluice.db'))
  database.exec('DELETE FROM spending; INSERT INTO spending_unfilled VALUES (1)')
  database.close()
  const { stdout } = await sluice(['cost', '--data', data, '--by', 'model'])
  expect(stdout).toMatch(/opus .* \$2\.50\n/)
})

test('without usage it says so, and wrong values are refused', async () => {
  const data = temporaryDirectory('cli-cost')
  expect(await sluice(['cost', '--data', data])).toEqual({
    ...{ code: 0, stderr: '', stdout: 'No usage yet.\n' },
  })
  const wrong = await sluice(['cost', '--data', data, '--timezone', 'Mars'])
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('is not a time zone')
})

test('a project is chosen by its name or the beginning of its id', async () => {
  const data = temporaryDirectory('cli-cost')
  const log = await openSqliteLog(data)
  const id = '3f2a91c0-0000-4000-8000-000000000001'
  await log.projects.create({ id, name: 'Shop', path: '/shop', createdAt: 1 })
  await log.sessions.create(session('a', { projectId: id }))
  await log.sessions.create(session('b'))
  const at = Date.parse('2026-11-15T10:00Z')
  await log.append('a', [usageEvent('a', 1, at, { opus: { input: 12, costUsd: 2.5 } })])
  await log.append('b', [usageEvent('b', 1, at, { opus: { input: 12, costUsd: 4 } })])
  await log.close()
  for (const project of ['shop', '3f2a', id]) {
    const { stdout } = await sluice(['cost', '--data', data, '--project', project])
    expect(stdout).toMatch(/^Total .* \$2\.50$/m)
  }
  expect(await sluice(['cost', '--data', data, '--project', 'shed'])).toMatchObject({
    code: 2,
    stderr: 'sluice: There is no project “shed”. List them with: sluice cost --by project\n',
  })
})

test.each([
  ['--json', '--csv'],
  ['--blocks', '--by', 'month'],
])('%s does not go with %s', async (...args) => {
  const { code, stderr } = await sluice(['cost', ...args])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('cannot be used') })
})
