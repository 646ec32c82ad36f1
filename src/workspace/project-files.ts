import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute } from 'node:path'
import type { WorkspaceRefusal, WriteTarget } from '../agents/workspace.ts'
import { isInside } from '../files/is-inside.ts'
import { readRegularFile, type UnreadReason } from '../files/read-regular-file.ts'
import { realTargetOf } from '../files/real-path.ts'
import { isSameFile } from './handle-path.ts'
import { replaceFile } from './replace-file.ts'

/** Larger files are neither read nor written for an agent. */
export const maxFileBytes = 8 * 1024 * 1024

export interface ProjectFilesOptions {
  /** The directories that the agent works in. */
  roots: readonly string[]
  /** Whether agents must not see a path, such as the data of the server. */
  isHidden(path: string): boolean
}

/** The files of a project, for an agent. No symbolic link leads out of it. */
export interface ProjectFiles {
  read(path: string): Promise<{ text: string } | WorkspaceRefusal>
  findTarget(path: string): Promise<WriteTarget | WorkspaceRefusal>
  /** The real path of a directory of the project. */
  findDirectory(path: string): Promise<{ path: string } | WorkspaceRefusal>
}

export const createProjectFiles = (options: ProjectFilesOptions): ProjectFiles => {
  /** The path after symbolic links, if an agent may use it. */
  const locate = async (path: string): Promise<{ path: string } | WorkspaceRefusal> => {
    if (!isAbsolute(path) || path.includes('\0'))
      return { refusal: 'The path must be absolute.', kind: 'failed' }
    const roots = await Promise.all(options.roots.map((root) => realpath(root).catch(() => root)))
    const real = realTargetOf(path)
    if (real !== undefined && roots.some((root) => isInside(real, root)) && !options.isHidden(real))
      return { path: real }
    const isNamedInside = [...roots, ...options.roots].some((root) => isInside(path, root))
    return { refusal: outside(path), kind: isNamedInside ? 'link_outside' : 'outside' }
  }

  return {
    async read(path) {
      const found = await locate(path)
      if ('refusal' in found) return found
      const read = await readBytes(found.path)
      if (typeof read === 'string') return unread(path, read)
      const text = textOfBytes(read)
      return text === undefined ? failed(`${path} is not a UTF-8 text.`) : { text }
    },
    async findTarget(path) {
      const found = await locate(path)
      if ('refusal' in found) return found
      const read = await readBytes(found.path)
      if (read === 'not_a_file' || read === 'unreadable') return unread(path, read)
      if (basename(found.path) === '' || dirname(found.path) === found.path)
        return unread(path, 'not_a_file')
      return {
        path: found.path,
        before: read === 'missing' ? null : read === 'too_large' ? undefined : textOfBytes(read),
        async write(content) {
          if (Buffer.byteLength(content) > maxFileBytes) return unread(path, 'too_large')
          // A symbolic link may have changed while a person decided.
          const now = await locate(path)
          if ('refusal' in now) return now
          if (now.path !== found.path) return failed(`${path} leads to another file now.`)
          return replaceFile(found.path, content)
        },
      }
    },
    async findDirectory(path) {
      const found = await locate(path)
      if ('refusal' in found) return found
      const isThere = await open(found.path, constants.O_RDONLY | constants.O_DIRECTORY).then(
        (directory) => directory.close().then(() => true),
        () => false,
      )
      return isThere ? found : failed(`${path} is not a directory.`)
    },
  }
}

/** The bytes of a regular file, by its real path. */
const readBytes = async (path: string): Promise<Buffer | UnreadReason> => {
  // A directory above it may have become a symbolic link.
  const read = await readRegularFile(path, maxFileBytes, (file) => isSameFile(file, path))
  return typeof read === 'string' ? read : read.bytes
}

const textOfBytes = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const outside = (path: string): string =>
  `${path} is outside of the project, so Sluice does not open it for the agent.`

const failed = (refusal: string): WorkspaceRefusal => ({ refusal, kind: 'failed' })

const unread = (path: string, reason: UnreadReason): WorkspaceRefusal =>
  reason === 'missing'
    ? // Agents look for these words, too.
      { refusal: `Resource not found: ${path} does not exist.`, kind: 'missing' }
    : failed(`${path} ${reasons[reason]}`)

const reasons: Record<Exclude<UnreadReason, 'missing'>, string> = {
  not_a_file: 'is not a regular file.',
  too_large: `is larger than ${maxFileBytes / 1024 / 1024} MiB.`,
  unreadable: 'cannot be opened.',
}
