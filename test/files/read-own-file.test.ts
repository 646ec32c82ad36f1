import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readOwnFile } from '../../src/files/read-own-file.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-own-'))
  put('own/secret', 'key')
  put('elsewhere/outputs/a.txt', 'foreign')
})
afterEach(() => rmSync(root, { recursive: true }))

const put = (name: string, content: string | Buffer) => {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}
const read = (path: string, maxBytes = 100) =>
  readOwnFile(path, { directory: join(root, 'own'), pattern: /^outputs\/[^/]+$/, maxBytes })

test('a file at its place is read', () => {
  expect(read(put('own/outputs/a.txt', 'hello'))).toEqual({ text: 'hello', size: 5 })
})

test('a large file is read to the limit, and no character is cut', () => {
  expect(read(put('own/outputs/a.txt', 'añb'.repeat(50)), 6)).toEqual({ text: 'añba', size: 200 })
})

test('a file elsewhere is not read, however it is named', () => {
  const outputs = dirname(put('own/outputs/a.txt', 'hello'))
  for (const path of [
    join(root, 'own/secret'),
    `${outputs}/../secret`,
    join(root, 'elsewhere/outputs/a.txt'),
    `${outputs}/none.txt`,
    '/dev/zero',
    outputs,
    '',
  ])
    expect(read(path), path).toBeUndefined()
})

test('links do not lead to a secret', () => {
  const outputs = dirname(put('own/outputs/a.txt', 'hello'))
  symlinkSync(join(root, 'own/secret'), join(outputs, 'soft'))
  linkSync(join(root, 'own/secret'), join(outputs, 'hard'))
  expect(read(join(outputs, 'soft'))).toBeUndefined()
  expect(read(join(outputs, 'hard'))).toBeUndefined()
})

test('a directory that is a link does not lead elsewhere', () => {
  symlinkSync(join(root, 'elsewhere/outputs'), join(root, 'own/outputs'))
  expect(read(join(root, 'own/outputs/a.txt'))).toBeUndefined()
})

test('a pipe is not waited for', () => {
  const outputs = dirname(put('own/outputs/a.txt', 'hello'))
  execFileSync('mkfifo', [join(outputs, 'pipe')])
  expect(read(join(outputs, 'pipe'))).toBeUndefined()
})
