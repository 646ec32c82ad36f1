import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openOwnFile } from '../../files/open-own-file.ts'
import { fieldsOf, stringOf } from '../../shared/fields.ts'
import type { FileSource } from '../sources/file-source.ts'
import { loosePartsOf } from './loose-parts.ts'
import type { FoundFile } from './tracks.ts'

/** More subagents of one session are not read. */
const maxParts = 500
const maxMetaBytes = 64 * 1024

/** The files of a session: its own, and those of its subagents. `root` is a real path. */
export const filesOf = async (
  source: FileSource,
  { root, path, nativeId }: { root: string; path: string; nativeId: string | undefined },
): Promise<FoundFile[]> => {
  const own = { name: '', path: join(root, path) }
  const pattern = nativeId === undefined ? undefined : source.partsOf?.(path, nativeId)
  if (!pattern) return [own]
  const beside = dirname(join(root, path))
  const loose = (await loosePartsOf(source, root, path)).slice(-maxParts).map(async (name) => ({
    name: `../${name}`,
    path: join(beside, name),
    toolCallId: await toolCallOf(root, join(beside, name)),
  }))
  const directory = join(root, pattern.directory)
  const names = await readdir(directory).catch(() => [])
  const parts = names
    .filter((name) => pattern.name.test(name))
    .toSorted()
    .slice(0, maxParts)
    .map(async (name) => {
      const toolCallId = await toolCallOf(root, join(directory, name))
      return { name, path: join(directory, name), toolCallId }
    })
  return [own, ...(await Promise.all([...loose, ...parts]))]
}

/** The call that started a subagent: from the file beside its own, or else its own name. */
const toolCallOf = async (root: string, path: string): Promise<string> => {
  const name = path.replace(/^.*\//, '').replace(/\.jsonl$/, '')
  const opened = await openOwnFile(path.replace(/\.jsonl$/, '.meta.json'), root)
  if (!opened) return name
  try {
    if (opened.stats.size > maxMetaBytes) return name
    const meta: unknown = JSON.parse(await opened.file.readFile('utf8'))
    return stringOf(fieldsOf(meta).toolUseId) ?? name
  } catch {
    return name
  } finally {
    await opened.file.close()
  }
}
