/** What may be left in a text besides visible characters. */
export interface CleanOptions {
  /** Whether a few text colours may stay. */
  isColoured: boolean
  /** The character that is on the screen before this text. It decides whether a joiner is ordinary. */
  before?: string
}

/**
 * The text without anything that controls a terminal. Escape sequences are removed (titles, links,
 * clipboard, cursor moves), except for a few colours. Other control characters, and those that
 * reorder or hide text, become escapes such as `\u202e`. A colour that is still on at the end is
 * switched off.
 */
export const cleanText = (text: string, { isColoured, before = '' }: CleanOptions): string => {
  if (isOrdinary.test(text)) return text
  const colour = createColourState()
  const replaced = (found: string, codes?: string, hidden?: string, at = 0): string => {
    if (codes !== undefined) return isColoured ? colour.change(codes) : ''
    if (hidden === undefined) return found.startsWith('\r') ? '\n' : ''
    const last = before + text.slice(Math.max(0, at - 2), at)
    return isJoined(hidden, last) ? hidden : escaped(hidden)
  }
  const cleaned = text.replace(special, replaced)
  return colour.isOn() ? withReset(cleaned) : cleaned
}

/** The text with its colours switched off at the end of the last line. */
const withReset = (text: string): string => {
  let end = text.length
  while (text[end - 1] === '\n') end -= 1
  return `${text.slice(0, end)}\x1b[0m${text.slice(end)}`
}

/** A JSON text that a terminal shows as it is. It has the same value. */
export const cleanJson = (json: string): string =>
  isOrdinary.test(json) ? json : json.replace(hiddenCharacters, jsonEscaped)

/** A name or path of somebody else: one line, without colours. */
export const plainLine = (text: string): string =>
  cleanText(text.replaceAll(/[\r\n\t]+/g, ' '), { isColoured: false })

const isOrdinary = /^[\n\t\x20-\x7e]*$/

// The payload of a sequence holds no control character, so no sequence is scanned twice.
const payload = String.raw`[^\x00-\x1f\x7f-\x9f]{0,4096}`
const hiddenCharacter = String.raw`[[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}\p{Cs}]--[\n\t]]`
const special = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)([\d;:]*)m`, // colours
    String.raw`(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]`, // cursor, screen, modes
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])${payload}(?:\x07|\x1b\\|\x9c)`, // title, clipboard
    String.raw`\x1b[\x20-\x2f]*[\x30-\x7e]`,
    String.raw`\r\n?`,
    `(${hiddenCharacter})`,
  ].join('|'),
  'gv',
)
const hiddenCharacters = new RegExp(hiddenCharacter, 'gv')

/** Joiners and variation selectors are ordinary after an emoji, and in scripts that need them. */
const isJoined = (character: string, before: string): boolean => {
  if (/[\u200c\u200d]/.test(character)) return joinable.test(before)
  return /[\ufe0e\ufe0f]/.test(character) && selectable.test(before)
}
const joinable = /(?:\p{ExtPict}|\p{EMod}|\ufe0f|(?![\0-\x7f])[\p{L}\p{M}])$/u
const selectable = /(?:\p{ExtPict}|[0-9#*])$/u

const escaped = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}

const jsonEscaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')

/** Which text attributes are on. */
const createColourState = () => {
  const on = new Set<number>()

  const apply = (code: number): void => {
    const ends = endedBy.get(code)
    for (const each of ends ?? on) if (ends || code === 0) on.delete(each)
    if (allowed.has(code)) on.add(code)
  }

  return {
    /** The sequence with the codes that are allowed; empty when none is. */
    change(parameters: string): string {
      const codes = codesIn(parameters).filter(
        (code) => allowed.has(code) || endedBy.has(code) || code === 0,
      )
      for (const code of codes) apply(code)
      return codes.length === 0 ? '' : `\x1b[${codes.join(';')}m`
    },
    isOn: () => on.size > 0,
  }
}

// Black, white and grey are left out, and so are backgrounds: on some screen they hide the text.
const colours = [31, 32, 33, 34, 35, 36, 91, 92, 93, 94, 95, 96]
const allowed = new Set([1, 2, 3, 4, ...colours])
/** The codes that switch attributes off, and which ones. */
const endedBy = new Map([
  [22, [1, 2]],
  [23, [3]],
  [24, [4]],
  [39, colours],
])

/** The codes of a sequence. Colours by number or by red, green and blue are left out. */
const codesIn = (parameters: string): number[] => {
  const codes: number[] = []
  const parts = parameters.split(';')
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? ''
    if (part.includes(':')) continue
    const code = Number(part)
    if (code === 38 || code === 48 || code === 58) at += parts[at + 1] === '5' ? 2 : 4
    else codes.push(code)
  }
  return codes
}
