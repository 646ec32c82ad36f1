import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openOwnFile } from '../../files/open-own-file.ts'
import type { FileSource } from '../sources/file-source.ts'

/** So much of a file is read to find its session. */
const beginningBytes = 4096
/** What is known of more folders is dropped. */
const maxFolders = 1000

interface Folder {
  mtimeMs: number
  /** The session of each file, by name. It never changes. */
  owners: Map<string, string>
  /** The names of the files of each session. */
  byOwner: Map<string, string[]>
  /** Every file says which session it is of. */
  isComplete: boolean
}

/** By path. Without it, all of these files would be opened again for each session beside them. */
const folders = new Map<string, Folder>()

/** The files of a session’s subagents that lie beside it, by name. `root` is a real path. */
export const loosePartsOf = async (
  source: FileSource,
  root: string,
  path: string,
): Promise<readonly string[]> => {
  if (!source.looseParts) return []
  const at = path.lastIndexOf('/')
  const folder = await folderAt(source, root, path.slice(0, Math.max(0, at)))
  return folder?.byOwner.get(path.slice(at + 1)) ?? []
}

/** The path of the session that a file beside it belongs to. */
export const ownerOfLoosePart = async (
  source: FileSource,
  root: string,
  path: string,
): Promise<string | undefined> => {
  const at = path.lastIndexOf('/')
  const directory = path.slice(0, Math.max(0, at))
  const folder = await folderAt(source, root, directory)
  const owner = folder?.owners.get(path.slice(at + 1))
  return owner && `${directory}/${owner}`
}

const folderAt = async (
  { looseParts }: FileSource,
  root: string,
  directory: string,
): Promise<Folder | undefined> => {
  const key = join(root, directory)
  const stats = await lstat(key).catch(() => undefined)
  if (!looseParts || !stats?.isDirectory()) return undefined
  const known = folders.get(key)
  if (known?.isComplete && known.mtimeMs === stats.mtimeMs) return known
  const names = await readdir(key).catch(() => [])
  const folder: Folder = {
    mtimeMs: stats.mtimeMs,
    owners: new Map(),
    byOwner: new Map(),
    isComplete: true,
  }
  for (const name of names.filter((each) => looseParts.name.test(each)).toSorted()) {
    const owner =
      known?.owners.get(name) ?? looseParts.sessionIn(await beginningOf(root, join(key, name)))
    if (owner === undefined) {
      folder.isComplete = false
      continue
    }
    folder.owners.set(name, owner)
    const others = folder.byOwner.get(owner)
    if (others) others.push(name)
    else folder.byOwner.set(owner, [name])
  }
  if (folders.size >= maxFolders) folders.clear()
  folders.set(key, folder)
  return folder
}

const beginningOf = async (root: string, path: string): Promise<string> => {
  const opened = await openOwnFile(path, root)
  if (!opened) return ''
  try {
    const buffer = Buffer.alloc(beginningBytes)
    const { bytesRead } = await opened.file.read(buffer, 0, beginningBytes, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } catch {
    return ''
  } finally {
    await opened.file.close()
  }
}
