import { join } from 'node:path'
import { allScopes } from '../api/scopes.ts'
import { Problem } from '../shared/problem.ts'
import type { Auth } from './auth.ts'
import { readPrivate, writePrivate } from './private-file.ts'

const fileIn = (directory: string) => join(directory, 'browser-key')

/** The stored key of the URL that `serve` prints: `http://127.0.0.1:3000/#token=<key>`. */
export const readBrowserKey = (directory: string): string | undefined =>
  readPrivate(fileIn(directory))?.toString('utf8').trim() || undefined

/**
 * The stored key; a new one at the first start, and when the stored one was revoked. Only the process
 * that holds the lock of the data directory may call this.
 */
export const loadBrowserKey = async (directory: string, auth: Auth): Promise<string> => {
  const stored = readBrowserKey(directory)
  if (stored !== undefined && (await isAccepted(stored, auth))) return stored
  const { key } = await auth.keys.create({ name: 'browser', scopes: [...allScopes] })
  writePrivate(fileIn(directory), `${key}\n`)
  return key
}

const isAccepted = async (key: string, auth: Auth): Promise<boolean> => {
  try {
    await auth.authenticate(`Bearer ${key}`)
    return true
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    return false
  }
}
