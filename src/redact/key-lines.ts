/** More lines than a private key has. */
const maxChars = 20_000
/** A line break of a text inside JSON, or a word. */
const piece = /\\[nr]|(?:\\(?![nr])|[^\s\\])+/g
const isBreak = (word: string) => word === '\\n' || word === '\\r'
const tail = /[A-Za-z0-9+/=]{1,100}$/

/**
 * Where the lines of a private key start whose end is at `end`: its beginning is in another text, for
 * example because a tool prints only the last lines. Undefined if there are no such lines.
 */
export const startOfKeyLines = (text: string, end: number): number | undefined => {
  const from = Math.max(0, end - maxChars)
  const before = text.slice(from, end)
  // Another key can end in front of this one.
  const offset = before.lastIndexOf('-----') + 1
  let start: number | undefined
  for (const { 0: word, index } of [...before.slice(offset).matchAll(piece)].reverse()) {
    if (isBreak(word)) continue
    const found = tail.exec(word.slice(-100))?.[0].length ?? 0
    const isLastLine = start === undefined && found === word.length
    if (found >= 16) start = from + offset + index + word.length - found
    if (found !== word.length || (found < 16 && !isLastLine)) break
  }
  return start
}
