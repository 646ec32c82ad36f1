import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readPrivate, writePrivate } from './private-file.ts'

const bytes = 32

/**
 * The secret that signs the tokens of a data directory; created at the first start. To invalidate
 * all tokens, delete the file `token-secret` and restart. Only the process that holds the lock of the
 * data directory may call this.
 */
export const loadSecret = (directory: string): Uint8Array => {
  const path = join(directory, 'token-secret')
  const stored = readPrivate(path)
  if (stored?.byteLength === bytes) return stored
  const secret = randomBytes(bytes)
  writePrivate(path, secret)
  return secret
}
