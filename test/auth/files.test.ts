import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeOldCredentials } from '../../src/auth/old-credentials.ts'
import { temporaryDirectory } from '../log/samples.ts'
import { addKey, openAuth } from './samples.ts'

test('files of earlier versions are deleted, and their key is revoked', async () => {
  const directory = temporaryDirectory('auth')
  const { auth, log } = await openAuth()
  const { key, header } = await addKey(auth)
  const other = await addKey(auth)
  writeFileSync(join(directory, 'browser-key'), `${key}\n`)
  writeFileSync(join(directory, 'token-secret'), 'x'.repeat(32))
  await removeOldCredentials(directory, log.keys)
  expect(readdirSync(directory)).toEqual([])
  await expect(auth.authenticate(header)).rejects.toMatchObject({ code: 'key_revoked' })
  await expect(auth.authenticate(other.header)).resolves.toMatchObject({ keyId: other.id })
  await removeOldCredentials(directory, log.keys) // nothing left to do
})

test('a link in place of such a file is deleted, and not followed', async () => {
  const directory = temporaryDirectory('auth')
  const elsewhere = temporaryDirectory('auth')
  const { auth, log } = await openAuth()
  const { key, header } = await addKey(auth)
  writeFileSync(join(elsewhere, 'file'), key)
  symlinkSync(join(elsewhere, 'file'), join(directory, 'browser-key'))
  await removeOldCredentials(directory, log.keys)
  expect(readdirSync(directory)).toEqual([])
  expect(readdirSync(elsewhere)).toEqual(['file'])
  await expect(auth.authenticate(header)).resolves.toBeDefined()
})
