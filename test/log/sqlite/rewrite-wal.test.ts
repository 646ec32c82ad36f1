import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rewriteWal } from '../../../src/log/sqlite/rewrite-wal.ts'
import { temporaryDirectory } from '../samples.ts'

test('the content is written again, unchanged', () => {
  const path = join(temporaryDirectory('wal'), 'sluice.db-wal')
  const content = Buffer.from(Array.from({ length: 2_500_000 }, (_, index) => (index * 31) % 251))
  writeFileSync(path, content)
  const before = statSync(path, { bigint: true }).mtimeNs
  rewriteWal(path)
  expect(readFileSync(path).equals(content)).toBe(true)
  expect(statSync(path, { bigint: true }).mtimeNs).toBeGreaterThan(before)
})

test('without a WAL there is nothing to do', () => {
  const path = join(temporaryDirectory('wal'), 'sluice.db-wal')
  rewriteWal(path)
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
})
