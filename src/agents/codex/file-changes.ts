import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import { hunkBetween, unifiedDiff } from '../tool-calls/edit-diff.ts'

/** One file of a change. */
export interface CodexChange {
  readonly path: string
  readonly kind: string | undefined
  readonly movedTo: string | undefined
  /** The hunks of an update, or the whole content of a file that is added or deleted. */
  readonly diff: string | undefined
}

/** The files in the arguments of a change. */
export const changedFilesIn = (args: unknown): CodexChange[] =>
  listOf(fieldsOf(args).changes)
    .map(fieldsOf)
    .map(({ path, kind, movedTo, diff }) => ({
      path: stringOf(path) ?? '',
      kind: stringOf(kind),
      movedTo: stringOf(movedTo),
      diff: stringOf(diff),
    }))

/** The unified diff of all files of a change; undefined if Codex does not print what changed. */
export const changesDiff = (args: Fields): string | undefined => {
  const diffs = changedFilesIn(args).map(fileDiff)
  return diffs.length > 0 && diffs.every((diff) => diff !== undefined) ? diffs.join('') : undefined
}

const fileDiff = ({ path, kind, movedTo, diff }: CodexChange): string | undefined => {
  if (diff === undefined) return undefined
  if (kind === 'add') return unifiedDiff({ from: '/dev/null', to: path }, hunkBetween('', diff))
  if (kind === 'delete') return unifiedDiff({ from: path, to: '/dev/null' }, hunkBetween(diff, ''))
  const hunks = diff.replace(movedNote, '')
  const names = unifiedDiff({ from: path, to: movedTo ?? path }, [])
  return `${names}${hunks.endsWith('\n') ? hunks : `${hunks}\n`}`
}

/** Codex adds this line to the hunks of a file that it moves. */
const movedNote = /\n*Moved to: [^\n]*\n?$/
