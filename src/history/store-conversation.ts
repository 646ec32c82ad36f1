import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { LogFault } from '../log/log-fault.ts'
import type { HistoryStore, StoredFile, StoredHistory } from '../log/stored-history.ts'
import { findConversation, withSides } from './find-conversation.ts'
import type { HistoryLayout } from './layouts.ts'
import { openPlain, type PlannedFile, planFile, readBlocks } from './planned-file.ts'

/** What is stored of one session, as the node that owns it last saw it. */
export interface KnownHistory {
  stored?: StoredHistory | undefined
  /** The objects that this process has deleted, although the record still names them. */
  readonly removed: Set<string>
  /** How the files were when they were stored last. */
  state?: string
  /** A write has failed. It may have been stored all the same. */
  isUnsure?: boolean
}

export interface ConversationToStore {
  sessionId: string
  /** The claim of the session. */
  term: number
  node: string
  agent: string
  layout: HistoryLayout
  root: string
  nativeId: string
  cwd: string
  maxBytes: number
}

/**
 * `none`: the agent has stored nothing. `unchanged`: nothing is new. `too_large`: nothing of the conversation is stored
 * any more.
 */
export type StoreOutcome = 'none' | 'unchanged' | 'stored' | 'too_large'

const compress = promisify(gzip)

/**
 * Stores what is new in the files of a conversation. The names of objects are stored before the objects, and the record
 * that uses them afterwards, so a process that is killed in between leaves the earlier state, and nothing that is never
 * deleted. Throws `fenced` when another node owns the session.
 */
export const storeConversation = async (
  store: HistoryStore,
  wanted: ConversationToStore,
  known: KnownHistory,
): Promise<StoreOutcome> => {
  const { sessionId, layout, root, nativeId, maxBytes } = wanted
  if (known.isUnsure) await readAgain(store, sessionId, known)
  const before = known.stored?.nativeId === nativeId ? known.stored : undefined
  const mainPath = before?.files[0]?.path
  const found =
    (mainPath === undefined ? undefined : await foundAgain(wanted, mainPath)) ??
    (await findConversation(layout, wanted))
  if (!found) return 'none'
  const state = await stateOf(root, [found.mainPath, ...found.sidePaths])
  if (before && state === known.state) return 'unchanged'
  const byPath = new Map(before?.files.map((file) => [file.path, file]))
  const plans: PlannedFile[] = []
  for (const path of [found.mainPath, ...found.sidePaths]) {
    const plan = await planFile(root, path, byPath.get(path))
    if (plan) plans.push(plan)
    // Without its own file, there is no conversation.
    else if (path === found.mainPath) return 'none'
  }
  for (const base of found.bases) {
    const plan = await planFile(root, base.path, byPath.get(base.path), base.bytes)
    if (plan) plans.push(plan)
  }
  const bytes = plans.reduce((sum, { end }) => sum + end, 0)
  const isTooLarge = bytes > maxBytes
  if (isTooLarge && before?.state === 'too_large') return 'too_large'
  const isNew = ({ path, from, end }: PlannedFile) => from < end || !byPath.has(path)
  if (before?.state === 'whole' && !isTooLarge && !plans.some(isNew)) {
    known.state = state
    return 'unchanged'
  }
  known.isUnsure = true
  // Of a write that failed: many of these would fill the space, and the record.
  await removeUnused(store, sessionId, known)
  await write(store, wanted, known, { plans: isTooLarge ? [] : plans, bytes, isTooLarge })
  known.isUnsure = false
  known.state = state
  await removeUnused(store, sessionId, known)
  return isTooLarge ? 'too_large' : 'stored'
}

const readAgain = async (
  store: HistoryStore,
  sessionId: string,
  known: KnownHistory,
): Promise<void> => {
  known.stored = await store.get(sessionId)
  known.removed.clear()
  delete known.state
  known.isUnsure = false
}

const foundAgain = async ({ layout, root, nativeId }: ConversationToStore, mainPath: string) => {
  const opened = await openPlain(root, mainPath)
  await opened?.file.close()
  return opened && withSides(layout, root, mainPath, nativeId)
}

/** Changes whenever one of the files does. */
const stateOf = async (root: string, paths: readonly string[]): Promise<string> => {
  const all = paths.map(async (path) => {
    const stats = await lstat(join(root, path), { bigint: true }).catch(() => undefined)
    return `${path} ${stats?.ino} ${stats?.size} ${stats?.mtimeNs}`
  })
  return (await Promise.all(all)).join('\n')
}

/** One object holds so much, before it is compressed. */
const pieceBytes = 2 * 1024 * 1024

interface NewContent {
  plans: readonly PlannedFile[]
  bytes: number
  isTooLarge: boolean
}

const write = async (
  store: HistoryStore,
  { sessionId, term, node, agent, root, nativeId, cwd }: ConversationToStore,
  known: KnownHistory,
  { plans, bytes, isTooLarge }: NewContent,
): Promise<void> => {
  const { stored } = known
  const leftOver = (stored?.unused ?? []).filter((name) => !known.removed.has(name))
  const names = plans.flatMap(({ from, end }) =>
    Array.from({ length: Math.ceil((end - from) / pieceBytes) }, () => store.nameObject(sessionId)),
  )
  const owner = { term, node, agent, nativeId, cwd, storedAt: Date.now() }
  const noted: StoredHistory = {
    // Until the new state is there, the last one counts, with the conversation and the node that it is of.
    ...(stored ?? { ...owner, state: 'whole', files: [], bytes: 0 }),
    ...{ term, unused: [...leftOver, ...names] },
  }
  if (names.length > 0) {
    await store.put(sessionId, noted)
    known.stored = noted
    known.removed.clear()
  }
  const files: StoredFile[] = []
  const left = [...names]
  for (const plan of plans) files.push(await storeFile(store, root, plan, left))
  const used = new Set(files.flatMap(({ pieces }) => pieces.map(({ object }) => object)))
  const dropped = (stored?.files ?? [])
    .flatMap(({ pieces }) => pieces.map(({ object }) => object))
    .filter((name) => !used.has(name))
  const next: StoredHistory = {
    ...owner,
    ...{ state: isTooLarge ? 'too_large' : 'whole', bytes, files },
    unused: [...new Set([...leftOver, ...dropped])],
  }
  try {
    await store.put(sessionId, next)
  } catch (cause) {
    // The session was deleted before these objects were there, so nothing else deletes them.
    if (cause instanceof LogFault && cause.code === 'unknown_session')
      for (const name of names) await store.removeObject(sessionId, name)
    throw cause
  }
  known.stored = next
}

/** Stores what is new in a file, and takes the names for it. */
const storeFile = async (
  store: HistoryStore,
  root: string,
  { path, kept, from, end, hash }: PlannedFile,
  names: string[],
): Promise<StoredFile> => {
  const pieces = [...kept]
  const opened = from < end ? await openPlain(root, path) : undefined
  if (from < end && !opened) throw new Error('A file of the agent was replaced while it was read.')
  try {
    for (let at = from; opened && at < end; at += pieceBytes) {
      const blocks: Buffer[] = []
      for await (const block of readBlocks(opened.file, at, Math.min(end, at + pieceBytes)))
        blocks.push(block)
      const bytes = Buffer.concat(blocks)
      hash.update(bytes)
      const object = names.shift()
      if (object === undefined) throw new Error('There is no name for an object.')
      await store.putObject(object, await compress(bytes))
      pieces.push({ object, bytes: bytes.length })
    }
  } finally {
    await opened?.file.close()
  }
  return { path, bytes: end, hash: hash.digest('hex'), pieces }
}

/** Deletes what no file needs. What fails is tried again the next time. */
const removeUnused = async (
  store: HistoryStore,
  sessionId: string,
  known: KnownHistory,
): Promise<void> => {
  for (const name of known.stored?.unused ?? []) {
    if (known.removed.has(name)) continue
    await store.removeObject(sessionId, name)
    known.removed.add(name)
  }
}
