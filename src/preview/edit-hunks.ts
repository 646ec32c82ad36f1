import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatchHunk, structuredPatch } from 'diff'
import type { EditCall, FileChange } from '../agents/tool-calls/known-call.ts'
import { applyChange } from './apply-change.ts'
import { readTarget, type TargetFile } from './read-target.ts'

/** The hunks of a change to a file as it is now, or why they are not certain. */
export const editHunks = (
  file: TargetFile,
  change: FileChange,
): StructuredPatchHunk[] | { readonly reason: string } => {
  if (file.state === 'unreadable') return { reason: file.reason }
  const before = file.state === 'text' ? file.text : undefined
  const after = applyChange(before, change)
  if ('reason' in after) return after
  const patch = structuredPatch('', '', before ?? '', after.text, undefined, undefined, {
    context: 3,
    timeout: maxDiffMs,
  })
  return patch?.hunks ?? { reason: 'The change is too large to compare.' }
}

/** The server does nothing else meanwhile. */
const maxDiffMs = 250

/** An edit that is about to run, with the file as it was just before. */
export interface StartedEdit {
  readonly path: string
  readonly change: FileChange
  readonly file: TargetFile
}

/** Reads the file that an edit is about to change; undefined if its arguments say too little. */
export const startEdit = async (
  { path, change }: EditCall,
  cwd: string,
): Promise<StartedEdit | undefined> => change && { path, change, file: await readTarget(path, cwd) }

/** Longer diffs are left out of results. */
const longestDiff = 200_000

/** The unified diff of an edit that has run; undefined if it is not certain, or too long. */
export const finishedDiff = ({ path, change, file }: StartedEdit): string | undefined => {
  const hunks = editHunks(file, change)
  if (!Array.isArray(hunks)) return undefined
  const oldFileName = file.state === 'missing' ? '/dev/null' : path
  const names = { oldFileName, newFileName: path }
  const headers = { oldHeader: undefined, newHeader: undefined }
  const diff = formatPatch({ ...names, ...headers, hunks }, FILE_HEADERS_ONLY)
  return diff.length > longestDiff ? undefined : diff
}
