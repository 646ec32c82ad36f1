import type { Replacement } from '../agents/tool-calls/file-edit.ts'
import type { FileChange } from '../agents/tool-calls/known-call.ts'

/** The content of a file after a change, or why that is not certain. */
export type ChangeResult = { readonly text: string } | { readonly reason: string }

/** Applies a change exactly. Undefined text means that there is no file. */
export const applyChange = (text: string | undefined, change: FileChange): ChangeResult => {
  if (change.type === 'content') return { text: change.content }
  // Agents convert line endings before they search, each in its own way.
  if (text?.includes('\r')) return { reason: 'The file has line endings of Windows.' }
  return change.inSequence
    ? applyInSequence(text, change.replacements)
    : applyAtOnce(text, change.replacements)
}

const applyInSequence = (
  before: string | undefined,
  replacements: readonly Replacement[],
): ChangeResult => {
  let text = before
  for (const { from, to, isAll } of replacements) {
    if (from === '' && (text === undefined || text === '')) {
      text = to
      continue
    }
    const count = text === undefined ? 0 : occurrences(text, from)
    if (text === undefined || count === 0) return notFound(before)
    if (count > 1 && !isAll) return ambiguous
    text = text.split(from).join(to)
  }
  return text === undefined ? notFound(before) : { text }
}

const applyAtOnce = (
  before: string | undefined,
  replacements: readonly Replacement[],
): ChangeResult => {
  if (before === undefined || replacements.length === 0) return notFound(before)
  const found: { at: number; end: number; to: string }[] = []
  for (const { from, to } of replacements) {
    const count = occurrences(before, from)
    if (count === 0) return notFound(before)
    if (count > 1) return ambiguous
    const at = before.indexOf(from)
    found.push({ at, end: at + from.length, to })
  }
  found.sort((left, right) => left.at - right.at)
  let text = ''
  let done = 0
  for (const { at, end, to } of found) {
    if (at < done) return { reason: 'Two replacements overlap.' }
    text += before.slice(done, at) + to
    done = end
  }
  return { text: text + before.slice(done) }
}

/** How often a text occurs, up to two. An empty text does not occur. */
const occurrences = (text: string, part: string): number => {
  if (part === '') return 0
  const first = text.indexOf(part)
  if (first < 0) return 0
  return text.indexOf(part, first + 1) < 0 ? 1 : 2
}

const notFound = (before: string | undefined): ChangeResult => ({
  reason:
    before === undefined
      ? 'The file to change does not exist.'
      : 'The text to replace is not in the file as it is now.',
})

const ambiguous: ChangeResult = { reason: 'The text to replace is in the file more than once.' }
