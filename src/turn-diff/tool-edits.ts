import { isAbsolute, relative, resolve, sep } from 'node:path'
import {
  applyPatch,
  FILE_HEADERS_ONLY,
  formatPatch,
  type StructuredPatchHunk,
  structuredPatch,
} from 'diff'
import type { Replacement } from '../agents/tool-calls/file-edit.ts'
import type { FileDiff } from '../api/types.ts'
import { type Edit, editsOf } from './edit-of.ts'
import type { TurnDiffLimits } from './limits.ts'
import type { ToolCall } from './tool-calls.ts'

/**
 * Reconstructs what changed from the tool calls of a turn, for directories without git. Changes by
 * a shell are missing. Called by `turn-diffs.ts`.
 */
export const readToolEdits = async (
  calls: AsyncIterable<ToolCall>,
  cwd: string,
  limits: TurnDiffLimits,
): Promise<FileDiff[]> => {
  const files = new Map<string, EditedFile>()
  for await (const call of calls) {
    for (const edit of editsOf(call)) {
      const path = projectPath(cwd, edit.path)
      const file = files.get(path) ?? createEditedFile()
      files.set(path, file)
      file.push(edit)
    }
  }
  return [...files].flatMap(([path, file]) => file.diff(path, limits) ?? [])
}

/** A path relative to the project directory; absolute if it is outside. */
const projectPath = (cwd: string, path: string): string => {
  const absolute = resolve(cwd, path)
  const inside = relative(cwd, absolute)
  const isOutside =
    inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  return (isOutside ? absolute : inside).split(sep).join('/')
}

/** One file, followed through the edits of a turn. */
interface EditedFile {
  /** Adds the next edit. */
  push(edit: Edit): void
  /** What changed; undefined if nothing did. */
  diff(path: string, limits: TurnDiffLimits): FileDiff | undefined
}

/** Follows the whole content where tools report it, and single hunks where they do not. */
const createEditedFile = (): EditedFile => {
  let count = 0
  let isCut = false
  /** The content before the first edit; null if there was no file, undefined if unknown. */
  let before: string | null | undefined
  /** The content after the last edit. */
  let now: string | undefined
  let hunks: StructuredPatchHunk[] = []
  /** Overwritten by a tool that did not report the content before. */
  let isOverwritten = false
  let isFirstOverwritten = false

  return {
    push(edit) {
      if (count === 0) before = edit.before
      count += 1
      isCut ||= edit.isCut
      const old = edit.before === undefined ? now : (edit.before ?? '')
      now = edit.content ?? (old === undefined ? undefined : contentAfter(old, edit))
      if (edit.content === undefined) hunks.push(...(edit.hunks ?? unplacedHunks(edit)))
      else if (before === undefined) {
        isOverwritten = true
        isFirstOverwritten ||= count === 1
        hunks = []
      }
    },
    diff(path, limits) {
      const status = before === null ? 'added' : isFirstOverwritten ? 'written' : 'modified'
      const size = now === undefined ? undefined : Buffer.byteLength(now)
      const about = { path, status, ...(size !== undefined && { size }) } as const
      if (isCut || Math.max(size ?? 0, before?.length ?? 0) > limits.fileBytes)
        return { ...about, kind: 'huge' }
      const isWhole = now !== undefined && (before !== undefined || isOverwritten)
      if (isWhole && before === now) return undefined
      const found = isWhole ? hunksBetween(before ?? '', now ?? '') : hunks
      if (!found) return { ...about, kind: 'huge' }
      if (!isWhole && found.length === 0) return { ...about, kind: 'binary' }
      return { ...about, ...diffOf(path, before === null, found, limits) }
    },
  }
}

/** Undefined if comparing takes too long. */
const hunksBetween = (before: string, now: string): StructuredPatchHunk[] | undefined =>
  structuredPatch('', '', before, now, '', '', { context: 3, timeout: 500 })?.hunks

/** The hunks of replacements. Their lines are right; where they are in the file is unknown. */
const unplacedHunks = ({ replacements }: Edit): StructuredPatchHunk[] =>
  replacements.flatMap(({ from, to }) => hunksBetween(withLineEnd(from), withLineEnd(to)) ?? [])

const withLineEnd = (text: string): string =>
  text === '' || text.endsWith('\n') ? text : `${text}\n`

/** The content after an edit; undefined if the edit does not fit, so that it is unknown. */
const contentAfter = (text: string, { replacements, hunks }: Edit): string | undefined => {
  const exact = replaceAll(text, replacements)
  if (exact !== undefined || !hunks) return exact
  // Agents also replace text that is only similar; their hunks have the text that was there.
  const patched = applyPatch(text, { ...unnamed, hunks: [...hunks] })
  return patched === false ? undefined : patched
}

const unnamed = { oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' }

/** Undefined if a replacement does not fit, or if they change nothing. */
const replaceAll = (text: string, replacements: readonly Replacement[]): string | undefined => {
  let now = text
  for (const { from, to, isAll } of replacements) {
    const at = now.indexOf(from)
    if (at === -1 || (from === '' && now !== '')) return undefined
    now = isAll ? now.split(from).join(to) : now.slice(0, at) + to + now.slice(at + from.length)
  }
  return now === text ? undefined : now
}

const diffOf = (
  path: string,
  isNew: boolean,
  hunks: StructuredPatchHunk[],
  { diffBytes }: TurnDiffLimits,
): Pick<FileDiff, 'kind' | 'additions' | 'deletions' | 'diff'> => {
  const lines = hunks.flatMap((each) => each.lines)
  const counts = {
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
  }
  const names = { oldFileName: isNew ? '/dev/null' : `a/${path}`, newFileName: `b/${path}` }
  const patch = { ...names, oldHeader: undefined, newHeader: undefined, hunks }
  const diff = formatPatch(patch, FILE_HEADERS_ONLY)
  if (Buffer.byteLength(diff) > diffBytes) return { kind: 'huge', ...counts }
  return { kind: 'text', ...counts, diff }
}
