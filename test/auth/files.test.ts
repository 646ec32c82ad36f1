import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadBrowserKey, readBrowserKey } from '../../src/auth/browser-key.ts'
import { loadSecret } from '../../src/auth/secret.ts'
import { readServerFile, writeServerFile } from '../../src/http/server-file.ts'
import { directoryOf } from '../log/samples.ts'
import { openAuth } from './samples.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('the secret is made once, for its owner only', () => {
  const directory = directoryOf('auth')
  const path = join(directory, 'token-secret')
  const secret = loadSecret(directory)
  expect(secret).toHaveLength(32)
  expect(loadSecret(directory)).toEqual(secret)
  expect(modeOf(path)).toBe(0o600)
  expect(loadSecret(directoryOf('auth'))).not.toEqual(secret)
  expect(readdirSync(directory)).toEqual(['token-secret'])
})

test('a secret that others could read is closed to them; a torn one is made anew', () => {
  const directory = directoryOf('auth')
  const path = join(directory, 'token-secret')
  const secret = loadSecret(directory)
  chmodSync(path, 0o644)
  expect(loadSecret(directory)).toEqual(secret)
  expect(modeOf(path)).toBe(0o600)
  writeFileSync(path, secret.subarray(0, 7))
  expect(loadSecret(directory)).toHaveLength(32)
  expect(loadSecret(directory)).not.toEqual(secret)
})

test('the browser’s key stays the same, until it is revoked', async () => {
  const directory = directoryOf('auth')
  const { auth } = await openAuth()
  expect(readBrowserKey(directory)).toBeUndefined()
  const key = await loadBrowserKey(directory, auth)
  expect(await loadBrowserKey(directory, auth)).toBe(key)
  expect(readBrowserKey(directory)).toBe(key)
  expect(modeOf(join(directory, 'browser-key'))).toBe(0o600)
  const { scopes, keyId = '' } = await auth.check(`Bearer ${key}`)
  expect([...scopes]).toEqual(['read', 'prompt', 'approve', 'admin'])
  expect(await auth.keys.list()).toMatchObject([{ id: keyId, name: 'browser' }])
  await auth.keys.revoke(keyId)
  const next = await loadBrowserKey(directory, auth)
  expect(next).not.toBe(key)
  expect(await loadBrowserKey(directory, auth)).toBe(next)
  await expect(auth.check(`Bearer ${key}`)).rejects.toMatchObject({ code: 'key_revoked' })
})

test('the server’s file says where it is, to its owner only', () => {
  const directory = directoryOf('auth')
  const path = join(directory, 'server.json')
  expect(readServerFile(directory)).toBeUndefined()
  const about = { url: 'http://127.0.0.1:3000', pid: process.pid }
  const remove = writeServerFile(directory, about)
  expect(readServerFile(directory)).toEqual(about)
  expect(modeOf(path)).toBe(0o600)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(about)
  remove()
  remove()
  expect(readServerFile(directory)).toBeUndefined()
  for (const text of ['', '{', '{"url":"file:///x","pid":1}', '{"url":"http://x"}', '[]']) {
    writeFileSync(path, text)
    expect(readServerFile(directory)).toBeUndefined()
  }
})
