import { type FileEdit, fileEditOf } from '../../../src/agents/tool-calls/file-edit.ts'
import { stringIn } from '../../../src/shared/fields.ts'
import { patchHunks, textHunks } from '../diff/hunks.ts'
import type { Hunk } from '../diff/rows.ts'

/** What an edit changes in a file. */
export interface Edit {
  readonly path: string
  readonly hunks: readonly Hunk[]
}

/** The edit that a call makes. Its result, if there is one, has the real lines and their numbers. */
export const editOf = (args: unknown, details?: unknown): Edit => {
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

const requestedHunks = ({ requestedPatch, replacements, content, cell }: FileEdit): Hunk[] => {
  if (requestedPatch?.includes('@@')) return patchHunks(requestedPatch)
  if (replacements.length > 0) return replacements.flatMap(({ from, to }) => textHunks(from, to))
  const written = cell ?? content
  return written === undefined ? [] : textHunks('', written)
}
