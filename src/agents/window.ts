/** What a growing or sliding window of output shows that the last look at it did not. */
export interface Fresh {
  text: string
  /** The window slid past output that was never seen. */
  gap: boolean
}

/**
 * Agents repeat a tool’s output in every update: all of it while it is short, then only its tail.
 * Finds the new part: what follows the longest end of `before` that `now` begins with.
 */
export const freshOutput = (before: string, now: string): Fresh => {
  if (now.startsWith(before)) return { text: now.slice(before.length), gap: false }
  const shared = overlap(before, now)
  return { text: now.slice(shared), gap: shared === 0 }
}

/** Length of the longest suffix of `left` that is a prefix of `right` (Knuth–Morris–Pratt). */
const overlap = (left: string, right: string): number => {
  const tail = left.slice(-right.length)
  const border = new Int32Array(right.length)
  for (let at = 1, length = 0; at < right.length; at += 1) {
    while (length > 0 && right[at] !== right[length]) length = border[length - 1] ?? 0
    if (right[at] === right[length]) length += 1
    border[at] = length
  }
  let length = 0
  for (const unit of units(tail)) {
    while (length > 0 && (length === right.length || unit !== right[length]))
      length = border[length - 1] ?? 0
    if (unit === right[length]) length += 1
  }
  return length
}

const units = function* (text: string) {
  for (let at = 0; at < text.length; at += 1) yield text[at]
}
