import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

const mode = 0o600

/** Reads a file, after making it readable for its owner only. Undefined when there is no file. */
export const readPrivate = (path: string): Buffer | undefined => {
  try {
    chmodSync(path, mode)
    return readFileSync(path)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
}

/** Writes a file that only its owner can read, at any moment. It is replaced atomically. */
export const writePrivate = (path: string, content: string | Uint8Array): void => {
  const temporary = `${path}.${process.pid}.new`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, content, { mode, flag: 'wx' })
  renameSync(temporary, path)
}
