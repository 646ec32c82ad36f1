import type { Style, StyleName } from './style.ts'

/** Beginnings of a line that can still become a heading, a list item, a quote or a fence. */
const undecided = /^ {0,8}(?:#{1,6}|`{1,2}|[-*+>]|\d{1,3}\.?)?$/
const heading = /^#{1,6} /
const item = /^ *(?:[-*+]|\d{1,3}\.) /
const quote = /^ *> /
const fence = /^ *```/

/** Colours Markdown while it streams. */
export interface MarkdownPainter {
  /** Adds text. */
  push(text: string): void
  /** Ends the text, and writes what is still held back. */
  end(): void
}

/**
 * Creates a painter. It writes text as soon as it arrives. It holds back only a few characters, at
 * the start of a line or at a star, until their meaning is clear.
 */
export const createMarkdownPainter = (
  style: Style,
  write: (text: string) => void,
): MarkdownPainter => {
  const line = createLinePainter(style, write)
  /** The beginning of the line, until its kind is known; undefined after that. */
  let start: string | undefined = ''
  let isInFence = false

  const paintStart = (beginning: string) => {
    start = undefined
    const mode = modeOf(beginning, isInFence)
    line.setMode(mode)
    if (mode === fenceMode) isInFence = !isInFence
    const marker = mode === plainMode ? (item.exec(beginning)?.[0] ?? '') : ''
    if (marker !== '') write(style('yellow', marker))
    for (const char of beginning.slice(marker.length)) line.push(char)
  }

  const endLine = () => {
    if (start !== undefined) paintStart(start)
    line.end()
    start = ''
  }

  return {
    push(text) {
      for (const char of text) {
        if (char === '\n') {
          endLine()
          write('\n')
        } else if (start === undefined) line.push(char)
        else {
          start += char
          if (!undecided.test(start)) paintStart(start)
        }
      }
      line.flush()
    },
    end() {
      endLine()
      isInFence = false
    },
  }
}

/** How a line is painted. A verbatim line has no bold text and no code in it. */
interface LineMode {
  style: StyleName | undefined
  isVerbatim: boolean
}

const fenceMode: LineMode = { style: 'dim', isVerbatim: true }
const codeMode: LineMode = { style: 'cyan', isVerbatim: true }
const quoteMode: LineMode = { style: 'dim', isVerbatim: true }
const headingMode: LineMode = { style: 'bold', isVerbatim: false }
const plainMode: LineMode = { style: undefined, isVerbatim: false }

const modeOf = (beginning: string, isInFence: boolean): LineMode => {
  if (fence.test(beginning)) return fenceMode
  if (isInFence) return codeMode
  if (quote.test(beginning)) return quoteMode
  return heading.test(beginning) ? headingMode : plainMode
}

/** Paints the text of one line after another, with bold text and code. */
const createLinePainter = (style: Style, write: (text: string) => void) => {
  let mode = plainMode
  let isBold = false
  let isCode = false
  /** True after a star that may be the first of two. */
  let hasStar = false
  /** Text that is not written yet. */
  let pending = ''

  const inlineStyle = (): StyleName | undefined => {
    if (isCode) return 'cyan'
    return isBold ? 'bold' : undefined
  }

  const flush = () => {
    const name = mode.style ?? inlineStyle()
    if (pending !== '') write(name ? style(name, pending) : pending)
    pending = ''
  }

  const pushMarkup = (char: string) => {
    if (hasStar && char === '*' && !isCode) {
      hasStar = false
      flush()
      isBold = !isBold
      return
    }
    if (hasStar) pending += '*'
    hasStar = char === '*' && !isCode
    if (hasStar) return
    if (char === '`') {
      flush()
      isCode = !isCode
    } else pending += char
  }

  return {
    setMode(next: LineMode): void {
      mode = next
    },
    push(char: string): void {
      if (mode.isVerbatim) pending += char
      else pushMarkup(char)
    },
    /** Writes the pending text. A single star stays pending. */
    flush,
    /** Writes everything, and forgets the line. */
    end(): void {
      if (hasStar) pending += '*'
      flush()
      hasStar = false
      isBold = false
      isCode = false
      mode = plainMode
    },
  }
}
