import { isAbsolute, relative, resolve, sep } from 'node:path'
import {
  applyPatch,
  FILE_HEADERS_ONLY,
  formatPatch,
  type StructuredPatchHunk,
  structuredPatch,
} from 'diff'
import type { FileDiff } from '../api/types.ts'
import { type Edit, editOf, type Replacement } from './edit-of.ts'
import type { TurnDiffLimits } from './limits.ts'
import type { ToolCall } from './tool-calls.ts'

/** What the tools of a turn say that they changed. What a shell changed is not among it. */
export const readToolEdits = async (
  calls: AsyncIterable<ToolCall>,
  cwd: string,
  limits: TurnDiffLimits,
): Promise<FileDiff[]> => {
  const files = new Map<string, EditedFile>()
  for await (const call of calls) {
    const edit = editOf(call)
    if (!edit) continue
    const path = toldPath(cwd, edit.path)
    const file = files.get(path) ?? createEditedFile()
    files.set(path, file)
    file.push(edit)
  }
  return [...files].flatMap(([path, file]) => file.diff(path, limits) ?? [])
}

/** Relative to the project directory; whole where it lies outside. */
const toldPath = (cwd: string, path: string): string => {
  const whole = resolve(cwd, path)
  const way = relative(cwd, whole)
  const isOutside = way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
  return (isOutside ? whole : way).split(sep).join('/')
}

/** A file as the edits of a turn make it known. */
export interface EditedFile {
  push(edit: Edit): void
  /** What changed; undefined where nothing did. */
  diff(path: string, limits: TurnDiffLimits): FileDiff | undefined
}

/** Follows one file through its edits: as a whole where its content is told, else piece by piece. */
export const createEditedFile = (): EditedFile => {
  let count = 0
  let isCut = false
  /** Before the first edit. */
  let before: string | null | undefined
  /** After the last one. */
  let now: string | undefined
  let hunks: StructuredPatchHunk[] = []
  /** Written over by a tool that did not say what was there. */
  let isWritten = false
  let isFirstWritten = false

  return {
    push(edit) {
      if (count === 0) before = edit.before
      count += 1
      isCut ||= edit.isCut
      const old = edit.before === undefined ? now : (edit.before ?? '')
      now = edit.content ?? (old === undefined ? undefined : changed(old, edit))
      if (edit.content === undefined) hunks.push(...(edit.hunks ?? piecesOf(edit)))
      else if (before === undefined) {
        isWritten = true
        isFirstWritten ||= count === 1
        hunks = []
      }
    },
    diff(path, limits) {
      const status = before === null ? 'added' : isFirstWritten ? 'written' : 'modified'
      const size = now === undefined ? undefined : Buffer.byteLength(now)
      const known = { path, status, ...(size !== undefined && { size }) } as const
      if (isCut || Math.max(size ?? 0, before?.length ?? 0) > limits.fileBytes)
        return { ...known, kind: 'huge' }
      const isWhole = now !== undefined && (before !== undefined || isWritten)
      if (isWhole && before === now) return undefined
      const found = isWhole ? hunksOf(before ?? '', now ?? '') : hunks
      if (!found) return { ...known, kind: 'huge' }
      if (!isWhole && found.length === 0) return { ...known, kind: 'binary' }
      return { ...known, ...textOf(path, before === null, found, limits) }
    },
  }
}

const hunksOf = (before: string, now: string): StructuredPatchHunk[] | undefined =>
  structuredPatch('', '', before, now, '', '', { context: 3, timeout: 500 })?.hunks

/** Hunks of which only the lines are known, not where they stand. */
const piecesOf = ({ replacements = [] }: Edit): StructuredPatchHunk[] =>
  replacements.flatMap(({ from, to }) => hunksOf(ended(from), ended(to)) ?? [])

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** The text after an edit; undefined where it does not fit, so that it is not known. */
const changed = (text: string, { replacements = [], hunks }: Edit): string | undefined => {
  const exact = replaced(text, replacements)
  if (exact !== undefined || !hunks) return exact
  // Agents find what is nearly the same too; their hunks tell what it was.
  const nearly = applyPatch(text, { ...unnamed, hunks: [...hunks] })
  return nearly === false ? undefined : nearly
}

const unnamed = { oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' }

const replaced = (text: string, replacements: readonly Replacement[]): string | undefined => {
  let now = text
  for (const { from, to, isAll } of replacements) {
    const at = now.indexOf(from)
    if (at === -1 || (from === '' && now !== '')) return undefined
    now = isAll ? now.split(from).join(to) : now.slice(0, at) + to + now.slice(at + from.length)
  }
  return now === text ? undefined : now
}

const textOf = (
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
