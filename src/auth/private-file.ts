import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

const mode = 0o600

/** Reads a file that only its owner may read, and makes it so where it is not. */
export const readPrivate = (path: string): Buffer | undefined => {
  try {
    chmodSync(path, mode)
    return readFileSync(path)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}

/** Writes a file that only its owner may read: whole or not at all, and never open to others. */
export const writePrivate = (path: string, content: string | Uint8Array): void => {
  const unfinished = `${path}.${process.pid}.new`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, content, { mode, flag: 'wx' })
  renameSync(unfinished, path)
}
