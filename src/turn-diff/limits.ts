import type { FileDiff } from '../api/types.ts'

/** How much of a turn is read, stored and returned. Larger files are listed without a diff. */
export const turnDiffLimits = {
  /** Larger files are compared by size and time, and have no diff. */
  fileBytes: 2 * 1024 * 1024,
  /** The content that one baseline stores; the smallest files come first. */
  contentBytes: 64 * 1024 * 1024,
  /** Files that differ from the index or are not in it. With more, git is not used. */
  candidates: 50_000,
  /** Files in one response. */
  files: 2000,
  /** The diff of one file. */
  diffBytes: 256 * 1024,
  /** All diffs of one response. */
  answerBytes: 4 * 1024 * 1024,
  /** The index of a repository. With a larger one, git is not used. */
  indexBytes: 512 * 1024 * 1024,
  /** Repositories inside the work tree, submodules or not. */
  nested: 50,
  /** How long recording a baseline may take. */
  beginMs: 30_000,
  /** How long a comparison with it may take. */
  readMs: 30_000,
}
export type TurnDiffLimits = typeof turnDiffLimits

/** Sorts the files of a response by path, and drops what is over its limits. */
export const limitAnswer = (
  found: readonly FileDiff[],
  limits: TurnDiffLimits,
): { files: FileDiff[]; truncated?: true } => {
  const sorted = found.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  let bytesLeft = limits.answerBytes
  let isTruncated = sorted.length > limits.files
  const files = sorted.slice(0, limits.files).map((file) => {
    const { diff, ...withoutDiff } = file
    const size = diff === undefined ? 0 : Buffer.byteLength(diff)
    if (size > bytesLeft || (diff === undefined && file.kind === 'text')) isTruncated = true
    if (size > bytesLeft) return withoutDiff
    bytesLeft -= size
    return file
  })
  return { files, ...(isTruncated && { truncated: true }) }
}
