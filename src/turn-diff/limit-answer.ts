import type { FileDiff } from '../api/types.ts'
import type { TurnDiffLimits } from './limits.ts'

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
