import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readPrivate, writePrivate } from './private-file.ts'

const bytes = 32

/**
 * What tokens of this data directory are signed with; made when there is none. To end all tokens,
 * remove the file and start again. For whoever holds the directory’s lock.
 */
export const loadSecret = (directory: string): Uint8Array => {
  const path = join(directory, 'token-secret')
  const known = readPrivate(path)
  if (known?.byteLength === bytes) return known
  const secret = randomBytes(bytes)
  writePrivate(path, secret)
  return secret
}
