import { defined, fieldsOf, isFields } from '../../shared/fields.ts'
import { type EditHunk, type FileEdit, fileEditOf, type Replacement } from './file-edit.ts'
import { readNumberedDiff } from './numbered-diff.ts'
import { toolKindOf } from './tool-kind.ts'

/** A call that has returned its result. */
export interface ReturnedCall {
  toolName: string
  args: unknown
  details: unknown
  isError: boolean
}

/**
 * The details of a result. Those of an edit get the unified diff of the file as `diff`, whatever
 * the agent reports: a patch, hunks, the content before, or a diff in a format of its own. The diff
 * is absent if the agent reports nothing that it could be made of.
 */
export const detailsWithDiff = ({ toolName, args, details, isError }: ReturnedCall): unknown => {
  if (isError || toolKindOf(toolName) !== 'edit') return details
  if (details !== undefined && !isFields(details)) return details
  const diff = unifiedDiffOf(fileEditOf(args, details))
  return diff === undefined ? details : { ...fieldsOf(details), ...defined({ diff }) }
}

const unifiedDiffOf = (edit: FileEdit): string | undefined => {
  const { path = 'file', before, patch, diff } = edit
  if (patch !== undefined && isUnified.test(patch)) return patch
  if (diff !== undefined && isUnified.test(diff)) return diff
  const hunks = hunksOf(edit)
  return hunks && unifiedDiff({ from: before === null ? '/dev/null' : path, to: path }, hunks)
}

/** How a unified diff begins. */
const isUnified = /^(?:---|@@|diff |Index: )/

const hunksOf = (edit: FileEdit): readonly EditHunk[] | undefined => {
  const { hunks, diff, before } = edit
  if (hunks.length > 0) return hunks
  const numbered = diff === undefined ? [] : readNumberedDiff(diff)
  if (numbered.length > 0) return numbered
  if (before === undefined) return undefined
  const after = edit.content ?? contentAfter(before ?? '', edit.replacements)
  return after === undefined ? undefined : hunkBetween(before ?? '', after)
}

/** The content after all replacements; undefined if there is none, or one does not fit. */
export const contentAfter = (
  before: string,
  replacements: readonly Replacement[],
): string | undefined => {
  if (replacements.length === 0) return undefined
  let now = before
  for (const { from, to, isAll } of replacements) {
    const at = now.indexOf(from)
    if (at < 0 || (from === '' && now !== '')) return undefined
    now = isAll
      ? now.replaceAll(from, () => to)
      : now.slice(0, at) + to + now.slice(at + from.length)
  }
  return now
}

const contextLines = 3

/**
 * One hunk from the first line that differs to the last one, in linear time; none if equal. The texts
 * begin at a line of their file.
 */
export const hunkBetween = (before: string, after: string, firstLine = 1): EditHunk[] => {
  if (before === after) return []
  const old = linesOf(before)
  const now = linesOf(after)
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start += 1
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const first = Math.max(0, start - contextLines)
  const after3 = Math.min(contextLines, end)
  const oldEnd = old.length - end
  const newEnd = now.length - end
  const oldLines = oldEnd + after3 - first
  const newLines = newEnd + after3 - first
  return [
    {
      // A range without lines is named by the line before it.
      oldStart: first + firstLine - (oldLines > 0 ? 0 : 1),
      oldLines,
      newStart: first + firstLine - (newLines > 0 ? 0 : 1),
      newLines,
      lines: [
        ...signed(' ', old.slice(first, start)),
        ...signed('-', old.slice(start, oldEnd)),
        ...signed('+', now.slice(start, newEnd)),
        ...signed(' ', old.slice(oldEnd, oldEnd + after3)),
      ],
    },
  ]
}

/** Lines with their line feeds: the last one of a file may have none, and differs then. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const signed = (sign: ' ' | '-' | '+', lines: readonly string[]): string[] =>
  lines.flatMap((line) =>
    line.endsWith('\n')
      ? [sign + line.slice(0, -1)]
      : [sign + line, '\\ No newline at end of file'],
  )

/** The unified diff of one file, by its names before and after. */
export const unifiedDiff = (
  { from, to }: { from: string; to: string },
  hunks: readonly EditHunk[],
): string =>
  [
    `--- ${shownName(from)}`,
    `+++ ${shownName(to)}`,
    ...hunks.flatMap((hunk) => [headingOf(hunk), ...hunk.lines]),
    '',
  ].join('\n')

const shownName = (path: string): string => (unusualName.test(path) ? JSON.stringify(path) : path)

/** A name with one of these would break the heading, and is quoted. */
const unusualName = /[\p{Cc}\p{Zl}\p{Zp}"\\]/u

const headingOf = ({ oldStart, oldLines, newStart, newLines }: EditHunk): string =>
  `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`
