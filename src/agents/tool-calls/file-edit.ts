import { fieldsOf, flagOf, listOf, numberOf, stringIn, stringsOf } from '../../shared/fields.ts'

/** What one call does to one file, as its arguments and its result tell it. */
export interface FileEdit {
  readonly path: string | undefined
  /** The content before, from the result; null if there was no file. */
  readonly before: string | null | undefined
  /** The whole content afterwards. */
  readonly content: string | undefined
  /** The new source of one cell of a notebook. */
  readonly cell: string | undefined
  readonly replacements: readonly Replacement[]
  /** Hunks from the result; none if it has no structured patch. */
  readonly hunks: readonly EditHunk[]
  /** A patch from the result, as text. */
  readonly patch: string | undefined
  /** A diff from the result, as text: unified, or in the agent’s own format. */
  readonly diff: string | undefined
  /** A patch in the arguments, as text. */
  readonly requestedPatch: string | undefined
}

/** A text to find in the file, and what replaces it. */
export interface Replacement {
  readonly from: string
  readonly to: string
  /** Everywhere, not only where it is found first. */
  readonly isAll: boolean
}

/** A hunk of a unified diff. */
export interface EditHunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** Each with its sign: a blank, a minus or a plus. */
  readonly lines: string[]
}

/** Reads an edit from the arguments and the result details of a call, of whichever agent. */
export const fileEditOf = (args: unknown, details?: unknown): FileEdit => ({
  path: pathIn(args),
  before: beforeIn(details),
  content: stringIn(details, 'updated_file') ?? stringIn(args, 'content', 'file_text'),
  cell: stringIn(args, 'new_source'),
  replacements: replacementsIn(args),
  hunks: listOf(fieldsOf(details).structuredPatch).flatMap(hunkIn),
  patch: stringIn(details, 'patch'),
  diff: stringIn(details, 'diff'),
  requestedPatch: stringIn(args, 'patch', 'input', 'diff'),
})

/** The path in the arguments of a call: the first one, if the call changes several files. */
export const pathIn = (args: unknown): string | undefined =>
  stringIn(args, 'path', 'file_path', 'filePath', 'notebook_path') ??
  stringIn(listOf(fieldsOf(args).changes)[0], 'path')

/** Whether the arguments list the files of a change, instead of naming one file. */
export const hasListOfChanges = (args: unknown): boolean =>
  listOf(fieldsOf(args).changes).length > 0

const beforeIn = (details: unknown): string | null | undefined =>
  stringIn(details, 'originalFile', 'originalFileContents', 'original_file') ??
  (fieldsOf(details).originalFile === null ? null : undefined)

/** A list of replacements, or a single one beside the path. */
const replacementsIn = (args: unknown): Replacement[] => {
  const edits = listOf(fieldsOf(args).edits)
  return (edits.length > 0 ? edits : [args]).flatMap(replacementIn)
}

const replacementIn = (value: unknown): Replacement[] => {
  const from = stringIn(value, 'oldText', 'old_string', 'old_str', 'old_text')
  const to = stringIn(value, 'newText', 'new_string', 'new_str', 'new_text')
  if (from === undefined && to === undefined) return []
  return [{ from: from ?? '', to: to ?? '', isAll: flagOf(fieldsOf(value).replace_all) ?? false }]
}

const hunkIn = (value: unknown): EditHunk[] => {
  const fields = fieldsOf(value)
  const lines = stringsOf(fields.lines)
  const oldStart = numberOf(fields.oldStart)
  if (lines.length === 0 || oldStart === undefined) return []
  return [
    {
      oldStart,
      oldLines: numberOf(fields.oldLines) ?? lines.filter((line) => !line.startsWith('+')).length,
      newStart: numberOf(fields.newStart) ?? oldStart,
      newLines: numberOf(fields.newLines) ?? lines.filter((line) => !line.startsWith('-')).length,
      lines,
    },
  ]
}
