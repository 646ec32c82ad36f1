import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDirectory } from './is-directory.ts'

/**
 * Makes a directory and those above it, for this user only. Throws if that is not possible. Node’s own
 * recursive `mkdir` never returns where nothing can be created, such as below /proc.
 */
export const makeDirectory = (path: string): void => {
  if (isDirectory(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    // Another process may have made it just now.
    if (!isDirectory(path)) throw cause
  }
}
