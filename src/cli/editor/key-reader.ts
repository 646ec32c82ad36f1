import { type EditorKey, keyOfControl, keyOfSequence, keyWithAlt } from './keys.ts'
import { createPasteText } from './paste-text.ts'

/** What a person did: typed text, pasted text, or pressed a key. */
export type EditorInput =
  | { kind: 'text'; text: string }
  | { kind: 'paste'; text: string }
  | { kind: 'key'; key: EditorKey }

export interface PushOptions {
  /** When the characters arrived, in ms. */
  at: number
  /**
   * Whether an approval waits for an answer. Then everything that follows a paste at once counts as
   * pasted, and so do several lines that arrive together.
   */
  isGuarded: boolean
}

/** Splits what a terminal sends into keys and pastes. Sequences may arrive in pieces. */
export interface KeyReader {
  push(chunk: string, options: PushOptions): EditorInput[]
  /** Whether a paste has begun and not ended. */
  isPasting(): boolean
}

/** Nobody presses a key so soon after a paste. */
const tailMs = 200
/** A lone Esc that is followed by nothing for so long was the key. */
const escapeMs = 500

const start = '\x1b[200~'
const end = '\x1b[201~'

export const createKeyReader = (): KeyReader => {
  const paste = createPasteText()
  /** The beginning of a sequence that is not complete. */
  let pending = ''
  let lastAt = 0
  let lastPasteAt = Number.NEGATIVE_INFINITY
  let isPasting = false

  /** Reads pasted text up to the last end marker; the rest is typed. */
  const readPaste = (text: string, { at, isGuarded }: PushOptions): EditorInput[] => {
    lastPasteAt = at
    if (text === '\x03') {
      // A terminal that has lost the end marker must not lock the person out.
      isPasting = false
      return [...pasted(paste.end()), { kind: 'key', key: 'interrupt' }]
    }
    // A marker may be part of what was pasted, so the last one counts.
    const next = text.indexOf(start)
    const last = text.lastIndexOf(end, next === -1 ? undefined : next)
    if (last === -1) {
      pending = beginningOf(end, text)
      return pasted(paste.push(text.slice(0, text.length - pending.length)))
    }
    isPasting = false
    const whole = paste.push(text.slice(0, last).replaceAll(end, '')) + paste.end()
    const rest = text.slice(last + end.length)
    return [...pasted(whole), ...(rest === '' ? [] : read(rest, { at, isGuarded }))]
  }

  const readTail = (text: string, options: PushOptions): EditorInput[] => {
    lastPasteAt = options.at
    const at = text.indexOf(start)
    if (at === -1) return pasted(paste.push(text.replaceAll(end, '')) + paste.end())
    return [...readTail(text.slice(0, at), options), ...begin(text.slice(at), options)]
  }

  const begin = (text: string, options: PushOptions): EditorInput[] => {
    isPasting = true
    return readPaste(text.slice(start.length), options)
  }

  const read = (text: string, options: PushOptions): EditorInput[] => {
    if (isPasting) return readPaste(text, options)
    if (text !== '\x03' && isPastedToo(text, options, lastPasteAt)) return readTail(text, options)
    const at = text.indexOf(start)
    if (at === -1) return readKeys(text)
    return [...readKeys(text.slice(0, at)), ...begin(text.slice(at), options)]
  }

  const readKeys = (text: string): EditorInput[] => {
    const inputs: EditorInput[] = []
    let rest = text
    while (rest !== '') {
      const [plain = ''] = plainText.exec(rest) ?? []
      if (plain !== '') inputs.push({ kind: 'text', text: plain })
      rest = rest.slice(plain.length)
      if (rest === '') break
      const found = nextKey(rest)
      if (found === 'unfinished') {
        pending = rest
        break
      }
      inputs.push(...found.inputs)
      rest = rest.slice(found.length)
    }
    return inputs
  }

  return {
    push(chunk, options) {
      const isEscape = pending === '\x1b' && !isPasting && options.at - lastAt > escapeMs
      const text = isEscape ? chunk : pending + chunk
      pending = ''
      lastAt = options.at
      return isEscape
        ? [{ kind: 'key', key: 'escape' }, ...read(text, options)]
        : read(text, options)
    },
    isPasting: () => isPasting,
  }
}

const pasted = (text: string): EditorInput[] => (text === '' ? [] : [{ kind: 'paste', text }])

/**
 * Whether text outside the markers was pasted. What is pasted can hold an end marker: then more lines,
 * or the true end marker, follow at once.
 */
const isPastedToo = (
  text: string,
  { at, isGuarded }: PushOptions,
  lastPasteAt: number,
): boolean => {
  const isTail = at - lastPasteAt < tailMs
  if (isGuarded) return isTail || isSeveralLines(text)
  return isTail && (isSeveralLines(text) || text.includes(end))
}

/** Lines that arrive at once were pasted into a terminal that does not mark a paste. */
const isSeveralLines = (text: string): boolean => /[\r\n][^\p{Cc}]/u.test(text)

const plainText = /^[^\p{Cc}]*/u
const esc = String.raw`\x1b`
const isBegun = new RegExp(String.raw`^${esc}(?:\[[\x20-\x3f]{0,30}|O)?$`)
const sequence = new RegExp(
  String.raw`^${esc}(?:\[([\x30-\x3f]*)[\x20-\x2f]*([\x40-\x7e])|O([\x40-\x7e]))`,
)

/** The end of a text that may be the beginning of a marker. */
const beginningOf = (marker: string, text: string): string => {
  for (let length = Math.min(marker.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(marker.slice(0, length))) return marker.slice(0, length)
  return ''
}

interface FoundKey {
  inputs: EditorInput[]
  length: number
}

/** Reads the key at the start of a text, which is a control character. */
const nextKey = (text: string): FoundKey | 'unfinished' => {
  if (!text.startsWith('\x1b')) return { inputs: inputsOf(keyOfControl(text.charAt(0))), length: 1 }
  if (isBegun.test(text)) return 'unfinished'
  const found = sequence.exec(text)
  if (found) {
    const [whole, parameters = '', letter = '', single = ''] = found
    const key = single === '' ? keyOfSequence(parameters, letter) : keyOfSequence('', single)
    return { inputs: inputsOf(key), length: whole.length }
  }
  const [character = ''] = text.slice(1)
  if (character === '\x1b') return { inputs: inputsOf('escape'), length: 1 }
  return { inputs: inputsOf(keyWithAlt(character)), length: 1 + character.length }
}

const inputsOf = (key: EditorKey | { text: string } | undefined): EditorInput[] => {
  if (key === undefined) return []
  return typeof key === 'string' ? [{ kind: 'key', key }] : [{ kind: 'text', text: key.text }]
}
