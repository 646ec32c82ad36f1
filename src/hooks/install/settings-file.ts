import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isDirectory } from '../../files/is-directory.ts'
import { isInside } from '../../files/is-inside.ts'
import { makeDirectory } from '../../files/make-directory.ts'
import { realTargetOf } from '../../files/real-path.ts'
import { Fault } from '../../shared/fault.ts'

/** A settings file of an agent, as it was read. */
export interface SettingsFile {
  /** Where the file really is: behind symbolic links. It is written there, and the links stay. */
  path: string
  /** Undefined if there is no file. */
  text: string | undefined
}

const maxBytes = 1024 * 1024

/**
 * Reads a settings file. Throws a `Fault` for what is no regular file, too large, no UTF-8, or another
 * person’s. `within`: the directory that the file must be in, also behind symbolic links.
 */
export const readSettingsFile = (path: string, within?: string): SettingsFile => {
  const target = realTargetOf(path)
  if (target === undefined) throw refusal(path, 'it is a symbolic link to nothing')
  if (within !== undefined && !isInside(target, realpathSync(within)))
    throw refusal(path, `it leads to ${target}, outside the project`)
  let descriptor: number
  try {
    // Never waits for a pipe, and never follows a link that was put there since.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
    descriptor = openSync(target, flags)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return { path: target, text: undefined }
    throw refusal(path, codeOf(cause) ?? 'it cannot be opened', cause)
  }
  try {
    checkFile(path, fstatSync(descriptor))
    const bytes = readFileSync(descriptor)
    return { path: target, text: decoded(bytes, path) }
  } finally {
    closeSync(descriptor)
  }
}

const checkFile = (path: string, stats: Stats): void => {
  if (!stats.isFile()) throw refusal(path, 'it is no regular file')
  if (stats.size > maxBytes) throw refusal(path, 'it is larger than 1 MiB')
  // A new file would take the place of one of the names only.
  if (stats.nlink > 1) throw refusal(path, 'it has several names (hard links)')
  const user = process.getuid?.()
  if (user !== undefined && user !== 0 && stats.uid !== user)
    throw refusal(path, 'it belongs to another user')
}

const decoded = (bytes: Buffer, path: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw refusal(path, 'it is no UTF-8', cause)
  }
}

/**
 * Replaces the text of a settings file, with its mode and owner, by a new file beside it. Throws a
 * `Fault` if the file has changed since it was read.
 */
export const writeSettingsFile = (file: SettingsFile, text: string): void => {
  const { path } = file
  const before = lstatSync(path, { throwIfNoEntry: false })
  // A new file in its place would go around that.
  if (before && (before.mode & 0o200) === 0) throw refusal(path, 'it is read-only')
  const temporary = `${path}.sluice-${randomBytes(6).toString('hex')}`
  try {
    const descriptor = openSync(temporary, 'wx', before ? before.mode & 0o777 : 0o600)
    try {
      const { uid, gid } = fstatSync(descriptor)
      if (before && (before.uid !== uid || before.gid !== gid))
        fchownSync(descriptor, before.uid, before.gid)
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    if (before) chmodSync(temporary, before.mode & 0o7777)
    // As late as possible: agents write these files, too.
    if (readSettingsFile(path).text !== file.text) throw changed(path)
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    if (cause instanceof Fault) throw cause
    throw new Fault(
      'file_not_written',
      `${path} was not written: ${codeOf(cause) ?? String(cause)}.`,
      { cause },
    )
  }
}

/**
 * Makes the directory of a settings file, with those above it. Returns the topmost one that was not there
 * before.
 */
export const makeDirectoryOf = ({ path }: SettingsFile): string | undefined => {
  const directory = dirname(path)
  const made = topmostMissing(directory)
  makeDirectory(directory)
  return made
}

const topmostMissing = (directory: string): string | undefined =>
  isDirectory(directory) ? undefined : (topmostMissing(dirname(directory)) ?? directory)

/**
 * Deletes a settings file that was made for our hooks alone. `directory`: the topmost one that was made for
 * it. It is deleted too, with those below, if nothing else is in there.
 */
export const deleteSettingsFile = (file: SettingsFile, directory: string | undefined): void => {
  const { path } = file
  if (readSettingsFile(path).text !== file.text) throw changed(path)
  rmSync(path)
  if (directory === undefined) return
  try {
    for (let at = dirname(path); isInside(at, directory); at = dirname(at)) rmdirSync(at)
  } catch {
    // Something else is in there.
  }
}

const changed = (path: string): Fault =>
  new Fault('file_not_written', `${path} has just changed, so it stays as it is. Try again.`)

const refusal = (path: string, why: string, cause?: unknown): Fault =>
  new Fault('file_not_readable', `${path} stays as it is: ${why}.`, { cause })

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : undefined
