import { applyPatch, parsePatch, reversePatch, type StructuredPatchHunk } from 'diff'
import { type FileEdit, fileEditOf, hasListOfChanges } from '../agents/tool-calls/file-edit.ts'
import { readNumberedDiff } from '../agents/tool-calls/numbered-diff.ts'
import { toolKindOf } from '../agents/tool-calls/tool-kind.ts'
import type { ToolCall } from './tool-calls.ts'

/** What one call did to one file. */
export interface Edit extends Pick<FileEdit, 'before' | 'content' | 'replacements'> {
  path: string
  hunks: readonly StructuredPatchHunk[] | undefined
  /** Part of it was too large and is lost. */
  isCut: boolean
}

/** What a call did to files. Some agents change several files with one call, and report one diff. */
export const editsOf = (call: ToolCall): Edit[] => {
  const { diff } = fileEditOf(call.input, call.details)
  if (hasListOfChanges(call.input) && diff !== undefined)
    return filesOf(diff).map((file) => ({ ...file, isCut: call.isCut }))
  return editOf(call) ?? []
}

/** The files of a unified diff; none if the text is not one. */
const filesOf = (diff: string): Omit<Edit, 'isCut'>[] => {
  try {
    return parsePatch(diff).map(({ oldFileName = '', newFileName = '', hunks }) => ({
      path: newFileName === '/dev/null' ? oldFileName : newFileName,
      before: oldFileName === '/dev/null' ? null : undefined,
      content: undefined,
      replacements: [],
      hunks,
    }))
  } catch (cause) {
    if (cause instanceof Error) return []
    throw cause
  }
}

/** What a call did to a file; undefined if the tool does not edit one. */
const editOf = ({ toolName, input, details, isCut }: ToolCall): [Edit] | undefined => {
  const edit = fileEditOf(input, details)
  const { path, content, replacements } = edit
  const hunks = reportedHunks(edit)
  if (path === undefined || (toolKindOf(toolName) !== 'edit' && !hunks)) return undefined
  const before = edit.before === undefined ? contentBefore(edit, hunks) : edit.before
  return [{ path, before, content, replacements, hunks, isCut }]
}

/** The content before a whole file was written, from the diff; null if there was no file. */
const contentBefore = (
  { content, diff }: FileEdit,
  hunks: StructuredPatchHunk[] | undefined,
): string | null | undefined => {
  if (content === undefined || !hunks) return undefined
  if (diff?.startsWith('--- /dev/null')) return null
  const names = { oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' }
  const before = applyPatch(content, reversePatch({ ...names, hunks }))
  return before === false ? undefined : before
}

const reportedHunks = ({ hunks, patch, diff }: FileEdit): StructuredPatchHunk[] | undefined => {
  if (hunks.length > 0) return [...hunks]
  const unified = parsed(patch) ?? parsed(diff)
  if (unified) return unified
  const read = diff === undefined ? [] : readNumberedDiff(diff)
  return read.length > 0 ? read : undefined
}

/** The hunks of a unified diff; undefined where the text is none. */
const parsed = (text: string | undefined): StructuredPatchHunk[] | undefined => {
  if (text === undefined || !/^(---|@@|diff |Index: )/.test(text)) return undefined
  try {
    const hunks = parsePatch(text).flatMap((each) => each.hunks)
    return hunks.length > 0 ? hunks : undefined
  } catch (cause) {
    if (cause instanceof Error) return undefined
    throw cause
  }
}
