import { type FileEdit, fileEditOf } from '../../../src/agents/tool-calls/file-edit.ts'
import { stringIn } from '../../../src/shared/fields.ts'
import { patchHunks, textHunks } from '../diff/hunks.ts'
import type { Hunk } from '../diff/rows.ts'

/** The diff of an edit. */
export interface EditDiff {
  readonly path: string
  readonly hunks: readonly Hunk[]
}

/** Reads the diff of an edit from its result, which has the real line numbers, or else its arguments. */
export const editDiff = (args: unknown, details?: unknown): EditDiff => {
  const edit = fileEditOf(args, details)
  return {
    path: edit.path ?? stringIn(details, 'filePath', 'path') ?? 'a file',
    hunks: reportedHunks(edit) ?? requestedHunks(edit),
  }
}

const reportedHunks = ({ hunks, patch, diff }: FileEdit): readonly Hunk[] | undefined => {
  if (hunks.length > 0) return hunks
  const text = patch ?? diff
  const read = text === undefined ? [] : patchHunks(text)
  return read.length > 0 ? read : undefined
}

/** Arguments that say in two ways what to write have no diff: the agent decides which one counts. */
const requestedHunks = ({ requestedPatch, replacements, content, cell }: FileEdit): Hunk[] => {
  const written = [content, cell].filter((text) => text !== undefined)
  const forms = [
    ...(requestedPatch === undefined ? [] : [patchHunks(requestedPatch)]),
    ...(replacements.length === 0 ? [] : [replacementHunks(replacements)]),
    ...written.map((text) => textHunks('', text)),
  ]
  return forms.length === 1 ? (forms[0] ?? []) : []
}

const replacementHunks = (replacements: FileEdit['replacements']): Hunk[] =>
  replacements.flatMap(({ from, to }) => textHunks(from, to))
