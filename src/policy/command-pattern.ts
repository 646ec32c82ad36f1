import { shellWords } from './shell-words.ts'

/** What a pattern for commands covers. */
export interface CommandPattern {
  /** The words that a command must begin with; undefined if only the same text matches. */
  readonly words: readonly string[] | undefined
  /** Whether further words may follow. */
  readonly isOpen: boolean
}

/** Reads a pattern: `npm test` is exactly these words, `git diff *` these and any further ones. */
export const readCommandPattern = (pattern: string): CommandPattern => {
  const open = / \*$/.test(pattern) ? shellWords(pattern.slice(0, -2)) : undefined
  return open ? { words: open, isOpen: true } : { words: shellWords(pattern), isOpen: false }
}

/** Whether a pattern covers a command. A command that is not simple needs a rule with the same text. */
export const coversCommand = (pattern: string, command: string): boolean => {
  if (pattern === command) return true
  const { words, isOpen } = readCommandPattern(pattern)
  const called = shellWords(command)
  if (!words || !called || called.length < words.length) return false
  return (
    (isOpen || called.length === words.length) && words.every((word, at) => word === called[at])
  )
}
