import type { Recorded } from './recorded.ts'

/** A value that the page can show. */
export interface Picked {
  value: unknown
  /** The recording that it is from. */
  from: string
}

/** Worse than any length. */
const tellsLittle = 1_000_000
const longestText = 80
const longestList = 4

/** The first candidate that tells what it should and is short enough; if none is, the shortest. */
export const pick = (
  candidates: Iterable<Picked>,
  limit: number,
  telling = '',
): Picked | undefined => {
  let best: { picked: Picked; rank: number } | undefined
  for (const { value, from } of candidates) {
    const picked = { value: shorten(value), from }
    const text = JSON.stringify(picked.value)
    const rank =
      (text.includes(telling) ? 0 : tellsLittle) + (text.length <= limit ? 0 : text.length)
    if (rank === 0) return picked
    if (!best || rank < best.rank) best = { picked, rank }
  }
  return best?.picked
}

/** Recordings with the named ones in front. */
export const inOrder = (
  recorded: readonly Recorded[],
  firstChoice: readonly string[],
): Recorded[] => {
  const place = ({ name }: Recorded) => {
    const at = firstChoice.indexOf(name)
    return at === -1 ? firstChoice.length : at
  }
  return recorded.toSorted((left, right) => place(left) - place(right))
}

/** Cuts long texts and lists, and says so with an ellipsis. */
export const shorten = (value: unknown): unknown => {
  if (typeof value === 'string') return shortText(value)
  if (Array.isArray(value)) return shortList(value).map(shorten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]))
}

const shortText = (text: string): string => {
  const characters = [...text]
  if (characters.length <= longestText) return text
  return `${characters.slice(0, longestText - 1).join('')}…`
}

/** Only lists of texts can be cut: there the ellipsis is one more text. */
const shortList = (list: readonly unknown[]): readonly unknown[] =>
  list.length > longestList && list.every((item) => typeof item === 'string')
    ? [...list.slice(0, longestList - 1), '…']
    : list
