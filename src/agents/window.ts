import { beginsWith } from './strings.ts'

/** The part of a tool’s output that the previous update did not show. */
export interface FreshOutput {
  text: string
  /** Output between the previous update and this one is missing. */
  gap: boolean
}

/**
 * Agents repeat a tool’s output in every update: all of it while it is short, then only its end.
 * Returns what follows the longest end of `before` that `now` begins with.
 */
export const freshOutput = (before: string, now: string): FreshOutput => {
  if (beginsWith(now, before)) return { text: now.slice(before.length), gap: false }
  const shared = quickOverlap(before, now) ?? overlap(before, now)
  return { text: now.slice(shared), gap: shared === 0 }
}

/** Long enough to be rare in ordinary output. */
const probeLength = 64
const probeTries = 8

/**
 * The length of the overlap, by a search for the first characters of `right` in `left`. Undefined if
 * they occur too often.
 */
const quickOverlap = (left: string, right: string): number | undefined => {
  if (right.length < probeLength) return undefined
  const probe = right.slice(0, probeLength)
  let at = left.indexOf(probe, Math.max(0, left.length - right.length))
  for (let tries = 0; at >= 0 && tries < probeTries; tries += 1) {
    if (beginsWith(right, left.slice(at))) return left.length - at
    at = left.indexOf(probe, at + 1)
  }
  // Not found: only an overlap that is shorter than the probe is possible.
  return at < 0 ? overlap(left.slice(-probeLength), right.slice(0, probeLength)) : undefined
}

/** Length of the longest suffix of `left` that is a prefix of `right` (Knuth–Morris–Pratt). */
const overlap = (left: string, right: string): number => {
  const size = right.length
  const border = new Int32Array(size)
  for (let at = 1, length = 0; at < size; at += 1) {
    const unit = right.charCodeAt(at)
    while (length > 0 && unit !== right.charCodeAt(length)) length = border[length - 1] ?? 0
    if (unit === right.charCodeAt(length)) length += 1
    border[at] = length
  }
  let length = 0
  for (let at = Math.max(0, left.length - size); at < left.length; at += 1) {
    const unit = left.charCodeAt(at)
    while (length > 0 && (length === size || unit !== right.charCodeAt(length)))
      length = border[length - 1] ?? 0
    if (unit === right.charCodeAt(length)) length += 1
  }
  return length
}
