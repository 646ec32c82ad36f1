import type { FileDiff } from '../api/types.ts'

/** How much is looked at, kept and told. What is beyond is named without its content. */
export const turnDiffLimits = {
  /** Larger files are compared by size and time, and have no diff. */
  fileBytes: 2 * 1024 * 1024,
  /** How much content one turn may keep; the smallest files come first. */
  contentBytes: 64 * 1024 * 1024,
  /** Files that differ from the index, or are not in it. With more, git is given up. */
  candidates: 50_000,
  /** Files in one answer. */
  files: 2000,
  /** The diff of one file. */
  diffBytes: 256 * 1024,
  /** All diffs of one answer. */
  answerBytes: 4 * 1024 * 1024,
  /** Repositories inside the work tree, submodules or not. */
  nested: 50,
  beginMs: 60_000,
  readMs: 30_000,
}
export type TurnDiffLimits = typeof turnDiffLimits

/** The files of an answer, by their paths; what is too much is left out and told. */
export const limitAnswer = (
  found: readonly FileDiff[],
  limits: TurnDiffLimits,
): { files: FileDiff[]; truncated?: true } => {
  const sorted = found.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  let left = limits.answerBytes
  let isTruncated = sorted.length > limits.files
  const files = sorted.slice(0, limits.files).map((file) => {
    const { diff, ...rest } = file
    const size = diff === undefined ? 0 : Buffer.byteLength(diff)
    if (size > left || (diff === undefined && file.kind === 'text')) isTruncated = true
    if (size > left) return rest
    left -= size
    return file
  })
  return { files, ...(isTruncated && { truncated: true }) }
}
