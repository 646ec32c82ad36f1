import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readServerFile, writeServerFile } from '../../src/http/server-file.ts'
import { temporaryDirectory } from '../log/samples.ts'

test('the server file holds the URL of the server, readable for its owner only', () => {
  const directory = temporaryDirectory('http')
  const path = join(directory, 'server.json')
  expect(readServerFile(directory)).toBeUndefined()
  const server = { url: 'http://127.0.0.1:3000', pid: process.pid }
  const remove = writeServerFile(directory, server)
  expect(readServerFile(directory)).toEqual(server)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(server)
  remove()
  remove()
  expect(readServerFile(directory)).toBeUndefined()
  for (const text of ['', '{', '{"url":"file:///x","pid":1}', '{"url":"http://x"}', '[]']) {
    writeFileSync(path, text)
    expect(readServerFile(directory)).toBeUndefined()
  }
})
