import { findSecrets } from './redact-text.ts'
import type { SecretRange, SecretRule } from './secret-range.ts'

/** The secrets in texts that come in pieces. A first pass finds them, a second one replaces them. */
export interface StreamPlan {
  /** First pass: a piece was appended to a text. `isJson`: the whole text is one JSON value. */
  add(key: string, piece: string, isJson?: boolean): void
  /** First pass: the text is complete, or nothing more of it comes for now. */
  finish(key: string): void
  /** First pass: all texts are complete. */
  finishAll(): void
  /** Second pass: the same piece, without its part of the secrets. */
  replace(key: string, piece: string): string
}

export interface StreamPlanOptions {
  rules: readonly SecretRule[]
  /** Redacts a whole JSON value; undefined if nothing in it changes. */
  redactJson(text: string): string | undefined
}

interface StreamedText {
  isJson: boolean
  /** What was not searched yet. */
  pending: string[]
  pendingLength: number
  /** Where `pending` starts in the text. */
  start: number
  /** Up to here, all secrets were found. */
  searched: number
  /** Secrets that were found, in order. Their positions are those in the whole text. */
  ranges: SecretRange[]
}

/** A longer text is searched in parts. They overlap by more than a secret is long. */
const partChars = 256 * 1024
const overlapChars = 32 * 1024
const contextChars = 512
/** Arguments of a tool up to this size are read as JSON. */
const jsonChars = 8 * 1024 * 1024

export const createStreamPlan = ({ rules, redactJson }: StreamPlanOptions): StreamPlan => {
  const texts = new Map<string, StreamedText>()
  /** Second pass: how much of each text was replaced, and the next secret of it. */
  const positions = new Map<string, { offset: number; next: number }>()

  /** Searches what is pending, and drops it but for the last `keep` characters. */
  const search = (text: StreamedText, keep: number) => {
    const whole = text.pending.join('')
    const end = whole.length - keep
    const found = rangesIn(whole, text.isJson && keep === 0)
    // One that reaches into the rest may be longer than it seems, so the rest starts with it.
    const open = found.find((range) => range.start < end && range.end > end)
    const isTooLong = open !== undefined && open.end - open.start > overlapChars
    const cut = open === undefined ? end : isTooLong ? open.end : open.start
    for (const range of found) {
      const start = range.start + text.start
      if (range.start < cut && start >= text.searched)
        text.ranges.push({ ...range, start, end: range.end + text.start })
    }
    text.searched = text.start + cut
    // Rules look at what is in front of a secret: `TOKEN=`.
    const rest = keep === 0 ? '' : whole.slice(Math.max(0, cut - contextChars))
    text.start += whole.length - rest.length
    text.pending = [rest]
    text.pendingLength = rest.length
  }

  const rangesIn = (whole: string, isJson: boolean): SecretRange[] => {
    const redacted = isJson ? redactJson(whole) : undefined
    if (redacted === undefined) return findSecrets(whole, rules)
    return [{ start: 0, end: whole.length, replacement: redacted }]
  }

  const finish = (key: string) => {
    const text = texts.get(key)
    if (text && text.pendingLength > 0) search(text, 0)
  }

  return {
    add(key, piece, isJson = false) {
      const text = texts.get(key) ?? {
        ...{ isJson, pending: [], pendingLength: 0, start: 0, searched: 0, ranges: [] },
      }
      texts.set(key, text)
      text.pending.push(piece)
      text.pendingLength += piece.length
      if (text.isJson && text.pendingLength <= jsonChars) return
      text.isJson = false
      if (text.pendingLength > partChars) search(text, overlapChars)
    },
    finish,
    finishAll: () => [...texts.keys()].forEach(finish),
    replace(key, piece) {
      const ranges = texts.get(key)?.ranges ?? []
      const position = positions.get(key) ?? { offset: 0, next: 0 }
      positions.set(key, position)
      const { text, next } = replacePiece(piece, position.offset, ranges, position.next)
      position.offset += piece.length
      position.next = next
      return text
    },
  }
}

/** Replaces the secrets in a piece that starts at `offset`. Each is replaced where it starts. */
const replacePiece = (
  piece: string,
  offset: number,
  ranges: readonly SecretRange[],
  first: number,
): { text: string; next: number } => {
  const end = offset + piece.length
  const parts: string[] = []
  let from = offset
  let next = first
  for (let range = ranges[next]; range && range.start < end; range = ranges[next]) {
    parts.push(piece.slice(Math.max(0, from - offset), Math.max(0, range.start - offset)))
    if (range.start >= offset) parts.push(range.replacement)
    from = Math.min(range.end, end)
    if (range.end > end) break
    next += 1
  }
  parts.push(piece.slice(from - offset))
  return { text: parts.join(''), next }
}
