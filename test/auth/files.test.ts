import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadBrowserKey, readBrowserKey } from '../../src/auth/browser-key.ts'
import { loadSecret } from '../../src/auth/secret.ts'
import { temporaryDirectory } from '../log/samples.ts'
import { openAuth } from './samples.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('the secret is created once, readable for its owner only', () => {
  const directory = temporaryDirectory('auth')
  const path = join(directory, 'token-secret')
  const secret = loadSecret(directory)
  expect(secret).toHaveLength(32)
  expect(loadSecret(directory)).toEqual(secret)
  expect(modeOf(path)).toBe(0o600)
  expect(loadSecret(temporaryDirectory('auth'))).not.toEqual(secret)
  expect(readdirSync(directory)).toEqual(['token-secret'])
})

test('a secret with open permissions is restricted, and a truncated one is replaced', () => {
  const directory = temporaryDirectory('auth')
  const path = join(directory, 'token-secret')
  const secret = loadSecret(directory)
  chmodSync(path, 0o644)
  expect(loadSecret(directory)).toEqual(secret)
  expect(modeOf(path)).toBe(0o600)
  writeFileSync(path, secret.subarray(0, 7))
  expect(loadSecret(directory)).toHaveLength(32)
  expect(loadSecret(directory)).not.toEqual(secret)
})

test('the browser key stays the same until it is revoked', async () => {
  const directory = temporaryDirectory('auth')
  const { auth } = await openAuth()
  expect(readBrowserKey(directory)).toBeUndefined()
  const key = await loadBrowserKey(directory, auth)
  expect(await loadBrowserKey(directory, auth)).toBe(key)
  expect(readBrowserKey(directory)).toBe(key)
  expect(modeOf(join(directory, 'browser-key'))).toBe(0o600)
  const { scopes, keyId = '' } = await auth.authenticate(`Bearer ${key}`)
  expect([...scopes]).toEqual(['read', 'prompt', 'approve', 'rewrite', 'admin'])
  expect(await auth.keys.list()).toMatchObject([{ id: keyId, name: 'browser' }])
  await auth.keys.revoke(keyId)
  const next = await loadBrowserKey(directory, auth)
  expect(next).not.toBe(key)
  expect(await loadBrowserKey(directory, auth)).toBe(next)
  await expect(auth.authenticate(`Bearer ${key}`)).rejects.toMatchObject({ code: 'key_revoked' })
})
