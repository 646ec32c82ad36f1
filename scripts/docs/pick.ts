import type { Recorded } from './recorded.ts'

/** An example value. */
export interface Picked {
  value: unknown
  /** Name of the recording. */
  from: string
}

/** A rank that is worse than any length. */
const lacksContent = 1_000_000
const longestText = 80
const longestList = 4

/** The first candidate that has the content and is short enough, or else the shortest. */
export const pick = (
  candidates: Iterable<Picked>,
  limit: number,
  content = '',
): Picked | undefined => {
  let best: { picked: Picked; rank: number } | undefined
  for (const { value, from } of candidates) {
    const picked = { value: shorten(value), from }
    const text = JSON.stringify(picked.value)
    const rank =
      (text.includes(content) ? 0 : lacksContent) + (text.length <= limit ? 0 : text.length)
    if (rank === 0) return picked
    if (!best || rank < best.rank) best = { picked, rank }
  }
  return best?.picked
}

/** The recordings, preferred ones first. */
export const inOrder = (
  recorded: readonly Recorded[],
  preferred: readonly string[],
): Recorded[] => {
  const rank = ({ name }: Recorded) => {
    const index = preferred.indexOf(name)
    return index === -1 ? preferred.length : index
  }
  return recorded.toSorted((left, right) => rank(left) - rank(right))
}

/** Shortens long texts and lists with an ellipsis. */
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

/** Only lists of texts are shortened: their ellipsis is one more text. */
const shortList = (list: readonly unknown[]): readonly unknown[] =>
  list.length > longestList && list.every((item) => typeof item === 'string')
    ? [...list.slice(0, longestList - 1), '…']
    : list
