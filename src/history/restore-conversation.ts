import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { openOwnFile } from '../files/open-own-file.ts'
import { LogFault } from '../log/log-fault.ts'
import type { HistoryStore, StoredFile, StoredHistory } from '../log/stored-history.ts'
import { Fault } from '../shared/fault.ts'
import { type OpenDirectory, openDirectoryBelow } from './directory-below.ts'
import { type HistoryLayout, isBase, isMain, isSide } from './layouts.ts'
import { beginningHash } from './planned-file.ts'

export interface ConversationToRestore {
  layout: HistoryLayout
  /** The directory of the agent, without links. It exists. */
  root: string
  nativeId: string
  /** Where the agent works here, without links. */
  cwd: string
  stored: StoredHistory
  /** This node stored it: a file here that has become another one since then is newer. */
  isOwn: boolean
  maxBytes: number
  /** Nothing is put into its place afterwards: the agent may run by then. */
  signal: AbortSignal
}

/** `current`: everything was here. `restored`: files were written. */
export type RestoreOutcome = 'current' | 'restored'

const decompress = promisify(gunzip)

/**
 * Writes the stored files of a conversation into the directory of the agent. All are fetched and checked before the first
 * one is put into its place. A file that is here and goes on where the stored one ends stays. One that differs is renamed,
 * never deleted. Throws a `history_not_restored` fault, and a `LogFault` when
 * NATS does not answer; then no file was replaced.
 */
export const restoreConversation = async (
  store: Pick<HistoryStore, 'getObject'>,
  wanted: ConversationToRestore,
): Promise<RestoreOutcome> => {
  const staged: StagedFile[] = []
  try {
    for (const { file, names } of checkedFiles(wanted)) {
      const one = await stage(store, wanted, file, names)
      if (one) staged.push(one)
    }
    for (const file of staged) await file.requireUnchanged()
    // The own file is the first. It is put into its place last: with it, the agent finds the conversation.
    for (const file of staged.toReversed()) {
      wanted.signal.throwIfAborted()
      await file.place()
    }
    return staged.length === 0 ? 'current' : 'restored'
  } catch (cause) {
    // Without an answer of NATS, nothing is known: it can be tried again.
    if (cause instanceof Fault || cause instanceof LogFault) throw cause
    throw notRestored('Its files could not be written', cause)
  } finally {
    for (const file of staged) await file.close()
  }
}

interface CheckedFile {
  file: StoredFile
  /** Its path on this node. */
  names: string[]
}

/** The files with their paths on this node. What is stored comes from other nodes, so nothing of it is believed. */
const checkedFiles = ({
  layout,
  nativeId,
  cwd,
  stored,
  maxBytes,
}: ConversationToRestore): CheckedFile[] => {
  const [main, ...sides] = stored.files
  if (!main || !isMain(layout, main.path, nativeId)) throw damaged()
  const mainPath = main.path
  const isOfIt = ({ path }: StoredFile) =>
    isSide(layout, path, { mainPath, nativeId }) || isBase(layout, path)
  const paths = new Set(stored.files.map(({ path }) => path))
  const bytes = stored.files.reduce((sum, file) => sum + file.bytes, 0)
  const isComplete = ({ pieces, ...file }: StoredFile) =>
    pieces.reduce((sum, piece) => sum + piece.bytes, 0) === file.bytes
  if (!sides.every(isOfIt) || paths.size < stored.files.length || bytes > maxBytes) throw damaged()
  if (!stored.files.every(isComplete)) throw damaged()
  const there = layout.projectDirectory?.(stored.cwd)
  const here = layout.projectDirectory?.(cwd)
  return stored.files.map((file) => {
    const [first = '', ...rest] = file.path.split('/')
    return { file, names: [first === there && here !== undefined ? here : first, ...rest] }
  })
}

/** A file that is complete, beside its place. */
interface StagedFile {
  /** Throws if somebody has written to its place since it was looked at: what came is nowhere else. */
  requireUnchanged(): Promise<void>
  /** Puts it into its place. A file that is there is renamed. */
  place(): Promise<void>
  close(): Promise<void>
}

/** Fetches a file, unless the one that is here has the same content, or more. */
const stage = async (
  store: Pick<HistoryStore, 'getObject'>,
  { root, isOwn, layout, stored }: ConversationToRestore,
  file: StoredFile,
  names: readonly string[],
): Promise<StagedFile | undefined> => {
  const name = names.at(-1) ?? ''
  const directory = await openDirectoryBelow(root, names.slice(0, -1))
  const temporary = directory.pathOf(`.sluice-${randomUUID()}.tmp`)
  const close = async (): Promise<void> => {
    await rm(temporary, { force: true })
    await directory.close()
  }
  try {
    await removeLeftovers(directory)
    const seen = await stateOf(directory, name)
    const local = await readLocal(directory, { root, name, file })
    if (local === 'same' || (isOwn && local === 'other')) {
      await directory.close()
      return undefined
    }
    const begins = local === 'none' || local === 'other' ? undefined : local
    const isBeginning = await fetchFile(store, temporary, file, begins)
    const mustKeep = local !== 'none' && !isBeginning
    // It belongs to another session, which may use it here.
    if (mustKeep && file !== stored.files[0] && isBase(layout, file.path))
      throw notRestored('It goes on from another conversation, which differs on this node')
    if (isOwn && mustKeep) {
      await close()
      return undefined
    }
    const requireUnchanged = async (): Promise<void> => {
      if ((await stateOf(directory, name)) !== seen)
        throw notRestored('A program has changed one of its files on this node meanwhile')
    }
    return {
      requireUnchanged,
      async place() {
        await requireUnchanged()
        if (mustKeep) await setAside(directory, name)
        await rename(temporary, directory.pathOf(name))
      },
      close,
    }
  } catch (cause) {
    await close()
    throw cause
  }
}

/** The beginning of a file, by its length and its hash. */
interface Beginning {
  bytes: number
  hash: string
}

/**
 * What is in the place of a file: `same`, with or without more behind; `other` content of the same length or more; a
 * shorter file, which may be the beginning.
 */
const readLocal = async (
  directory: OpenDirectory,
  { root, name, file }: { root: string; name: string; file: StoredFile },
): Promise<'none' | 'same' | 'other' | Beginning> => {
  const path = directory.pathOf(name)
  if (!(await lstat(path).catch(() => undefined))) return 'none'
  const opened = await openOwnFile(path, root)
  // A link, or a file of somebody else: an agent that reads it would read something else.
  if (!opened) throw notRestored('There is a link, or a file of another user, in its place')
  const local = opened.file
  try {
    const size = Number(opened.stats.size)
    const hash = (await beginningHash(local, Math.min(size, file.bytes))).digest('hex')
    if (size < file.bytes) return { bytes: size, hash }
    return hash === file.hash ? 'same' : 'other'
  } finally {
    await local.close()
  }
}

/** Fetches a file and checks its hash. Returns whether a shorter file is its beginning. */
const fetchFile = async (
  store: Pick<HistoryStore, 'getObject'>,
  path: string,
  file: StoredFile,
  beginning: Beginning | undefined,
): Promise<boolean> => {
  const hash = createHash('sha256')
  let isBeginning = false
  let at = 0
  const target = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    for (const piece of file.pieces) {
      const bytes = await fetchPiece(store, piece)
      const left = beginning ? beginning.bytes - at : -1
      if (beginning && left >= 0 && left <= bytes.length)
        isBeginning = hash.copy().update(bytes.subarray(0, left)).digest('hex') === beginning.hash
      hash.update(bytes)
      await writeAll(target, bytes)
      at += bytes.length
    }
    await target.sync()
  } finally {
    await target.close()
  }
  if (hash.digest('hex') !== file.hash) throw damaged()
  return isBeginning
}

/** What does not shrink becomes a little longer. */
const packedExtra = 64 * 1024

const fetchPiece = async (
  store: Pick<HistoryStore, 'getObject'>,
  { object, bytes }: StoredFile['pieces'][number],
): Promise<Buffer> => {
  const packed = await store.getObject(object, bytes + packedExtra).catch((cause: unknown) => {
    throw cause instanceof LogFault ? cause : damaged(cause)
  })
  if (!packed) throw notRestored('A part of it is missing')
  const unpacked = await decompress(packed, { maxOutputLength: bytes }).catch(() => undefined)
  if (unpacked?.length !== bytes) throw damaged()
  return unpacked
}

const writeAll = async (file: FileHandle, bytes: Buffer): Promise<void> => {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
}

const leftoverName = /^\.sluice-[0-9a-f-]{36}\.tmp$/
/** Longer than any restore takes. */
const leftoverMs = 60 * 60 * 1000

/** Deletes the files of restores whose process was killed. */
const removeLeftovers = async (directory: OpenDirectory): Promise<void> => {
  for (const name of await readdir(directory.pathOf('.'))) {
    if (!leftoverName.test(name)) continue
    const path = directory.pathOf(name)
    const stats = await lstat(path).catch(() => undefined) // another restore has deleted it
    if (stats?.isFile() && Date.now() - stats.mtimeMs > leftoverMs) await rm(path, { force: true })
  }
}

/** Changes whenever a file is written to, replaced or removed. */
const stateOf = async (directory: OpenDirectory, name: string): Promise<string> => {
  const stats = await lstat(directory.pathOf(name), { bigint: true }).catch(() => undefined)
  return `${stats?.ino} ${stats?.size} ${stats?.mtimeNs}`
}

/** Renames a file that differs from the stored one. The agent does not read it under its new name. */
const setAside = (directory: OpenDirectory, name: string): Promise<void> => {
  const suffix = `${new Date().toISOString().slice(0, 10)}-${randomUUID().slice(0, 8)}`
  return rename(directory.pathOf(name), directory.pathOf(`${name}.${suffix}.kept`))
}

const damaged = (cause?: unknown): Fault => notRestored('What is stored is damaged', cause)

const notRestored = (reason: string, cause?: unknown): Fault =>
  new Fault('history_not_restored', reason, { cause })
