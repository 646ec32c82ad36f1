import type { Style, StyleName } from './style.ts'

/** Beginnings of a line that may still become a heading, a list item, a quote or a fence. */
const undecided = /^ {0,8}(?:#{1,6}|`{1,2}|[-*+>]|\d{1,3}\.?)?$/
const heading = /^#{1,6} /
const item = /^ *(?:[-*+]|\d{1,3}\.) /
const quote = /^ *> /
const fence = /^ *```/

/**
 * Colours Markdown while it streams. Text goes out as it comes; only a few characters wait, at
 * the start of a line or at a star, until it is clear what they mean.
 */
export const createMarkdownPainter = (style: Style, write: (text: string) => void) => {
  /** The start of the line, while it is undecided. */
  let start = ''
  let deciding = true
  let inFence = false
  let lineStyle: StyleName | undefined
  let inCode = false
  let inBold = false
  let star = false
  let run = ''

  const styleNow = (): StyleName | undefined => {
    if (lineStyle) return lineStyle
    if (inFence || inCode) return 'cyan'
    return inBold ? 'bold' : undefined
  }

  const flush = () => {
    const name = styleNow()
    if (run !== '') write(name ? style(name, run) : run)
    run = ''
  }

  const endLine = () => {
    if (star) run += '*'
    flush()
    write('\n')
    start = ''
    star = false
    deciding = true
    lineStyle = undefined
    inCode = false
    inBold = false
  }

  /** The line’s kind is clear: say its beginning. */
  const decide = () => {
    deciding = false
    const begun = start
    start = ''
    if (fence.test(begun)) {
      inFence = !inFence
      lineStyle = 'dim'
      run += begun
      return
    }
    if (inFence) {
      run += begun
      return
    }
    if (heading.test(begun)) lineStyle = 'bold'
    if (quote.test(begun)) lineStyle = 'dim'
    const mark = item.exec(begun)?.[0] ?? ''
    if (mark !== '') write(style('yellow', mark))
    for (const char of begun.slice(mark.length)) inline(char)
  }

  const inline = (char: string) => {
    if (inFence || lineStyle === 'dim') {
      run += char
      return
    }
    if (star && char === '*' && !inCode) {
      star = false
      flush()
      inBold = !inBold
      return
    }
    if (star) run += '*'
    star = char === '*' && !inCode
    if (star) return
    if (char !== '`') {
      run += char
      return
    }
    flush()
    inCode = !inCode
  }

  return {
    push(text: string): void {
      for (const char of text) {
        if (char === '\n') {
          if (deciding) decide()
          endLine()
        } else if (deciding) {
          start += char
          if (!undecided.test(start)) decide()
        } else inline(char)
      }
      flush()
    },
    /** Nothing more comes of this text. */
    end(): void {
      if (deciding) decide()
      if (star) run += '*'
      star = false
      flush()
      start = ''
      deciding = true
      inFence = false
      inCode = false
      inBold = false
      lineStyle = undefined
    },
  }
}
