import { itemPlaces, type JsonPlace, memberPlaces } from './json-places.ts'

/** Text to put into another text. */
export interface Insertion {
  readonly at: number
  readonly text: string
}

/** How a text of JSON is laid out. */
export interface JsonLayout {
  /** One level of indentation. Undefined if everything stands on one line. */
  readonly indent: string | undefined
  readonly lineEnd: '\n' | '\r\n'
}

/** The layout of a text, as its first lines show it. */
export const layoutOf = (text: string): JsonLayout => {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const indented = /[{[]\r?\n([ \t]+)\S/.exec(text)?.[1]
  // A short text without lines may be `{}`, which says nothing about the rest.
  const isOneLine = indented === undefined && /[^\s{}[\]\uFEFF]/.test(text)
  return { indent: isOneLine ? undefined : (indented ?? '  '), lineEnd }
}

/**
 * Puts texts behind the last item of an array, or the last member of an object. `depth` is that of the
 * container.
 */
export const insertInto = (
  text: string,
  container: JsonPlace,
  added: readonly string[],
  { depth, layout }: { depth: number; layout: JsonLayout },
): Insertion => {
  const { indent, lineEnd } = layout
  const before = indent === undefined ? '' : lineEnd + indent.repeat(depth + 1)
  const joined = added.map((each) => before + each).join(',')
  const last = lastEnd(text, container)
  if (last !== undefined) return { at: last, text: `,${joined}` }
  const isOpen = text.slice(container.start, container.end).includes('\n')
  const after = indent === undefined || isOpen ? '' : lineEnd + indent.repeat(depth)
  return { at: container.start + 1, text: joined + after }
}

const lastEnd = (text: string, container: JsonPlace): number | undefined =>
  text[container.start] === '['
    ? itemPlaces(text, container).at(-1)?.end
    : memberPlaces(text, container).at(-1)?.whole.end

/** A text with insertions, each at its position in the text before. */
export const withInsertions = (text: string, insertions: readonly Insertion[]): string => {
  let result = ''
  let done = 0
  for (const each of insertions.toSorted((left, right) => left.at - right.at)) {
    result += text.slice(done, each.at) + each.text
    done = each.at
  }
  return result + text.slice(done)
}

/**
 * The parts of a text to cut so that some values of one container are gone, with the commas that
 * belonged to them. `places` are all its items or members, in order.
 */
export const cutsFor = (
  places: readonly JsonPlace[],
  isGone: (index: number) => boolean,
): JsonPlace[] => {
  const cuts: JsonPlace[] = []
  const firstKept = places.findIndex((_, index) => !isGone(index))
  places.forEach((place, index) => {
    if (!isGone(index)) return
    const next = places[index + 1]
    const before = places[index - 1]
    // In front of the first value that stays, the comma behind goes too; later, the one before.
    if (firstKept === -1 || index < firstKept)
      cuts.push({ start: place.start, end: next?.start ?? place.end })
    else cuts.push({ start: before?.end ?? place.start, end: place.end })
  })
  return cuts
}

/** A text without some parts. */
export const withoutParts = (text: string, parts: readonly JsonPlace[]): string => {
  let result = ''
  let done = 0
  for (const { start, end } of parts.toSorted((left, right) => left.start - right.start)) {
    if (end <= done) continue // inside a part that is gone already
    result += text.slice(done, Math.max(done, start))
    done = end
  }
  return result + text.slice(done)
}
