import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqliteLog } from '../../../src/log/index.ts'
import { auditEntry, temporaryDirectory } from '../samples.ts'

test('no statement changes, deletes or replaces an entry of the audit', async () => {
  const directory = temporaryDirectory('audit')
  const log = await openSqliteLog(directory)
  await log.audit.append(auditEntry({ detail: 'kept' }))
  await log.close()
  const database = new DatabaseSync(join(directory, 'sluice.db'))
  for (const sql of [
    "UPDATE audit SET record = '{}'",
    'DELETE FROM audit',
    "INSERT OR REPLACE INTO audit VALUES (1, 'abort', 'x', 'x', NULL, '{}', NULL)",
    "REPLACE INTO audit VALUES (1, 'abort', 'x', 'x', NULL, '{}', NULL)",
  ])
    expect(() => database.exec(sql), sql).toThrow('append-only')
  database.close()
  const again = await openSqliteLog(directory)
  expect(await again.audit.list()).toMatchObject([{ id: 1, detail: 'kept' }])
  await again.audit.append(auditEntry())
  expect(await again.audit.list()).toHaveLength(2)
  await again.close()
})
