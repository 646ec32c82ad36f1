import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type HistoryLayout, isPlain, matchesName, type NamePattern } from './layouts.ts'
import { openPlain, readBlocks } from './planned-file.ts'

/** The files of a conversation, as paths below the directory of the agent. */
export interface FoundConversation {
  readonly mainPath: string
  readonly sidePaths: readonly string[]
  /** The own files of conversations that it goes on from, and how much of them it needs. */
  readonly bases: readonly { path: string; bytes: number }[]
}

/** More side files of one conversation are not stored. */
const maxSides = 1000
/** More entries of one directory are not looked at. */
const maxEntries = 100_000

export interface WantedConversation {
  /** The directory of the agent, without links. */
  root: string
  nativeId: string
  /** Where the agent works, without links: its conversations are looked for there first. */
  cwd: string
}

/** Finds the files of a conversation by the agent’s own id. Links are not followed. */
export const findConversation = async (
  layout: HistoryLayout,
  { root, nativeId, cwd }: WantedConversation,
): Promise<FoundConversation | undefined> => {
  const [first, ...rest] = layout.main(nativeId)
  if (first === undefined) return undefined
  const here = layout.projectDirectory?.(cwd)
  const mainPath =
    (here === undefined ? undefined : await findBelow(root, [here, ...rest])) ??
    (await findBelow(root, [first, ...rest]))
  return mainPath === undefined ? undefined : withSides(layout, root, mainPath, nativeId)
}

/** The files of a conversation whose own file is known. */
export const withSides = async (
  layout: HistoryLayout,
  root: string,
  mainPath: string,
  nativeId: string,
): Promise<FoundConversation> => {
  const sidePaths: string[] = []
  for (const { directory, name, depth } of layout.sides?.(mainPath, nativeId) ?? [])
    for await (const path of filesIn(root, directory, depth))
      if (name.test(path.slice(path.lastIndexOf('/') + 1))) sidePaths.push(path)
  return {
    mainPath,
    sidePaths: sidePaths.toSorted().slice(0, maxSides),
    bases: await basesOf(layout, root, mainPath),
  }
}

/** A fork of a fork of a fork goes on from three conversations. */
const maxBases = 50

const basesOf = async (
  layout: HistoryLayout,
  root: string,
  mainPath: string,
): Promise<FoundConversation['bases']> => {
  const bases: { path: string; bytes: number }[] = []
  let path: string | undefined = layout.base && mainPath
  while (path !== undefined && bases.length < maxBases) {
    const base = layout.base?.(await firstLine(root, path))
    path = base && (await findBelow(root, layout.main(base.nativeId)))
    // Each is older than the one that goes on from it, so none comes twice.
    const isKnown = path === mainPath || bases.some((other) => other.path === path)
    if (!base || path === undefined || isKnown) break
    bases.push({ path, bytes: base.bytes })
  }
  return bases
}

const maxFirstLine = 1024 * 1024

const firstLine = async (root: string, path: string): Promise<unknown> => {
  const opened = await openPlain(root, path)
  if (!opened) return undefined
  try {
    let text = ''
    for await (const block of readBlocks(opened.file, 0, Math.min(opened.size, maxFirstLine)))
      text += block.toString('latin1')
    return JSON.parse(text.slice(0, text.indexOf('\n')))
  } catch {
    return undefined
  } finally {
    await opened.file.close()
  }
}

/** The first file whose names match. Directories are looked through from the last name on. */
const findBelow = async (
  root: string,
  [pattern, ...others]: readonly NamePattern[],
  above = '',
): Promise<string | undefined> => {
  if (pattern === undefined) return undefined
  const isLast = others.length === 0
  for (const name of await namesMatching(join(root, above), pattern)) {
    const path = above === '' ? name : `${above}/${name}`
    const stats = await lstat(join(root, path)).catch(() => undefined)
    if (isLast ? !stats?.isFile() : !stats?.isDirectory()) continue
    const found = isLast ? path : await findBelow(root, others, path)
    if (found !== undefined) return found
  }
  return undefined
}

const namesMatching = async (directory: string, pattern: NamePattern): Promise<string[]> => {
  if (typeof pattern === 'string') return [pattern]
  const names = await readdir(directory).catch(() => [])
  return names
    .slice(0, maxEntries)
    .filter((name) => matchesName(pattern, name))
    .toSorted()
    .toReversed()
}

const filesIn = async function* (
  root: string,
  directory: string,
  depth: number,
): AsyncGenerator<string> {
  const stats = await lstat(join(root, directory)).catch(() => undefined)
  if (!stats?.isDirectory()) return
  const entries = await readdir(join(root, directory), { withFileTypes: true }).catch(() => [])
  for (const entry of entries.slice(0, maxEntries)) {
    const path = `${directory}/${entry.name}`
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && depth > 0 && isPlain(entry.name))
      yield* filesIn(root, path, depth - 1)
  }
}
