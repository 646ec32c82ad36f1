import { lstatSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyStore } from '../log/log.ts'
import { createApiKeys } from './api-keys.ts'

/**
 * Earlier versions stored a key and a signing secret in the data directory, where an agent could read
 * them. Deletes both files, and revokes the key, because somebody may have copied it.
 */
export const removeOldCredentials = async (directory: string, keys: KeyStore): Promise<void> => {
  const key = readPlainFile(join(directory, 'browser-key'))
  const record = key === undefined ? undefined : await createApiKeys(keys, Date.now).find(key)
  if (record) await keys.revoke(record.id, Date.now())
  for (const name of ['browser-key', 'token-secret']) rmSync(join(directory, name), { force: true })
}

/** The content of a file; undefined when there is none, and for links. */
const readPlainFile = (path: string): string | undefined => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() ? readFileSync(path, 'utf8').trim() : undefined
}
