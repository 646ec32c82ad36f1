import { type FileEdit, fileEditOf } from '../../../src/agents/tool-calls/file-edit.ts'
import { readNumberedDiff } from '../../../src/agents/tool-calls/numbered-diff.ts'
import { stringIn } from '../../../src/shared/fields.ts'
import { patchHunks, textHunks } from '../diff/hunks.ts'
import type { Hunk } from '../diff/rows.ts'

/** The diff of an edit. */
export interface EditDiff {
  readonly path: string
  readonly hunks: readonly Hunk[]
  /** Whether the diff is against the file. Otherwise it has only what the arguments name. */
  readonly isAgainstFile: boolean
  /** Whether the call writes the whole file. */
  readonly isWhole: boolean
  /** Whether there was no file before. */
  readonly isNewFile: boolean
}

/**
 * Reads the diff of an edit from its result. Without one, the arguments show what was requested, but
 * not where in the file that is: then the lines have no numbers.
 */
export const editDiff = (args: unknown, details?: unknown): EditDiff => {
  const edit = fileEditOf(args, details)
  const reported = reportedHunks(edit)
  return {
    path: edit.path ?? stringIn(details, 'filePath', 'path') ?? 'a file',
    hunks: reported ?? requestedHunks(edit),
    isAgainstFile: reported !== undefined,
    isWhole: edit.content !== undefined,
    isNewFile: edit.before === null || edit.diff?.startsWith('--- /dev/null') === true,
  }
}

const reportedHunks = (edit: FileEdit): readonly Hunk[] | undefined => {
  const { hunks, patch, diff, before, content } = edit
  if (hunks.length > 0) return hunks
  const text = patch ?? diff
  // A unified diff without hunks: the file stays as it is.
  if (text?.startsWith('--- ')) return patchHunks(text)
  const read = text === undefined ? [] : [...patchHunks(text), ...readNumberedDiff(text)]
  if (read.length > 0) return read
  if (before === undefined || content === undefined) return undefined
  return textHunks(before ?? '', content)
}

/** Arguments that say in two ways what to write have no diff: the agent decides which one counts. */
const requestedHunks = ({ requestedPatch, replacements, content, cell }: FileEdit): Hunk[] => {
  const written = [content, cell].filter((text) => text !== undefined)
  const forms = [
    ...(requestedPatch === undefined ? [] : [patchHunks(requestedPatch)]),
    ...(replacements.length === 0 ? [] : [replacementHunks(replacements)]),
    ...written.map((text) => textHunks('', text)),
  ]
  return forms.length === 1 ? (forms[0] ?? []).map(unplaced) : []
}

/** The lines alone: their numbers, and whether the last one ends the file, are not known. */
const unplaced = ({ lines }: Hunk): Hunk => ({
  lines: lines.filter((line) => !line.startsWith('\\')),
})

const replacementHunks = (replacements: FileEdit['replacements']): Hunk[] =>
  replacements.flatMap(({ from, to }) => textHunks(from, to))
