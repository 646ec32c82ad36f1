import { join } from 'node:path'
import { allScopes } from '../api/scopes.ts'
import { Problem } from '../shared/problem.ts'
import type { Auth } from './auth.ts'
import { readPrivate, writePrivate } from './private-file.ts'

const fileIn = (directory: string) => join(directory, 'browser-key')

/** The key for the URL that is printed, where one is kept: `http://127.0.0.1:3000/#token=<key>`. */
export const readBrowserKey = (directory: string): string | undefined =>
  readPrivate(fileIn(directory))?.toString('utf8').trim() || undefined

/**
 * The same, and made where there is none that opens: at the first start, and after it was revoked.
 * For whoever holds the directory’s lock.
 */
export const loadBrowserKey = async (directory: string, auth: Auth): Promise<string> => {
  const known = readBrowserKey(directory)
  if (known !== undefined && (await opens(known, auth))) return known
  const { key } = await auth.keys.add({ name: 'browser', scopes: [...allScopes] })
  writePrivate(fileIn(directory), `${key}\n`)
  return key
}

const opens = async (key: string, auth: Auth): Promise<boolean> => {
  try {
    await auth.check(`Bearer ${key}`)
    return true
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    return false
  }
}
