import { fieldsOf } from '../../../src/shared/fields.ts'
import { patchHunks, textHunks } from '../diff/hunks.ts'
import type { Hunk } from '../diff/rows.ts'
import { listIn, numberIn, textIn } from './fields.ts'

/** What an edit changes in a file. */
export interface Edit {
  readonly path: string
  readonly hunks: readonly Hunk[]
}

/**
 * The edit that a call makes. What the tool told afterwards is better than what it was asked to
 * do: it has the real lines and their numbers.
 */
export const editOf = (args: unknown, details?: unknown): Edit => ({
  path: textIn(args, 'path', 'file_path', 'filePath', 'notebook_path') ?? pathIn(details),
  hunks: toldHunks(details) ?? askedHunks(args),
})

const pathIn = (details: unknown): string => textIn(details, 'filePath', 'path') ?? 'a file'

const toldHunks = (details: unknown): Hunk[] | undefined => {
  const structured = listIn(details, 'structuredPatch').flatMap(hunkOf)
  if (structured.length > 0) return structured
  const patch = textIn(details, 'patch', 'diff')
  const hunks = patch === undefined ? [] : patchHunks(patch)
  return hunks.length > 0 ? hunks : undefined
}

const hunkOf = (value: unknown): Hunk[] => {
  const lines = listIn(value, 'lines').filter((line) => typeof line === 'string')
  const oldStart = numberIn(value, 'oldStart')
  if (lines.length === 0 || oldStart === undefined) return []
  return [{ oldStart, newStart: numberIn(value, 'newStart') ?? oldStart, lines }]
}

const askedHunks = (args: unknown): Hunk[] => {
  const patch = textIn(args, 'patch', 'input', 'diff')
  if (patch?.includes('@@')) return patchHunks(patch)
  const edits = listIn(args, 'edits')
  if (edits.length > 0) return edits.flatMap(replacementHunks)
  const content = textIn(args, 'content', 'file_text', 'new_source')
  if (content !== undefined && fieldsOf(args).old_string === undefined)
    return textHunks('', content)
  return replacementHunks(args)
}

const replacementHunks = (args: unknown): Hunk[] => {
  const before = textIn(args, 'oldText', 'old_string', 'old_str')
  const after = textIn(args, 'newText', 'new_string', 'new_str')
  if (before === undefined && after === undefined) return []
  return textHunks(before ?? '', after ?? '')
}
