/**
 * The words of a shell command, if it is simple: one command whose words are certain from the text
 * alone. Otherwise undefined. Every shell must read it in the same way, so only what is known to be
 * harmless is accepted: quotes, backslashes and plain characters. Anything that could start a second
 * command, redirect, expand or assign makes the command not simple.
 */
export const shellWords = (command: string): string[] | undefined => {
  if (!printable.test(command)) return undefined
  const words: string[] = []
  let word: string | undefined
  let at = 0
  while (at < command.length) {
    const char = command.charAt(at)
    if (char === ' ') {
      if (word !== undefined) words.push(word)
      word = undefined
      at += 1
      continue
    }
    const part = partAt(command, at, word === undefined)
    if (!part) return undefined
    word = (word ?? '') + part.text
    at = part.end
  }
  if (word !== undefined) words.push(word)
  return words.length > 0 && isCommandName(words[0] ?? '') ? words : undefined
}

/** Characters that stand for themselves outside quotes, in every shell. */
const plain = /^[A-Za-z0-9_@%+=:,./-]$/

/** Whether a word needs no quotes in a command or in a pattern. */
export const isPlainWord = (word: string): boolean => /^[A-Za-z0-9_@%+:,./-]+$/.test(word)

/** Printable ASCII only: shells and locales do not agree about anything else. */
const printable = /^[ -~]*$/

/** An assignment before the command changes how it runs; `%` names a job. */
const isCommandName = (word: string): boolean => word !== '' && !/[=%]/.test(word)

interface Part {
  text: string
  /** Where the next part begins. */
  end: number
}

/** The part of a word at a position; undefined if it is not certain what it means. */
const partAt = (command: string, at: number, isStart: boolean): Part | undefined => {
  const char = command.charAt(at)
  if (char === "'") return singleQuoted(command, at)
  if (char === '"') return doubleQuoted(command, at)
  if (char === '\\') return escaped(command, at)
  // Zsh replaces `=name` by the path of a program.
  if (!plain.test(char) || (isStart && char === '=')) return undefined
  return { text: char, end: at + 1 }
}

const singleQuoted = (command: string, at: number): Part | undefined => {
  const close = command.indexOf("'", at + 1)
  return close < 0 ? undefined : { text: command.slice(at + 1, close), end: close + 1 }
}

const escaped = (command: string, at: number): Part | undefined =>
  at + 1 < command.length ? { text: command.charAt(at + 1), end: at + 2 } : undefined

const doubleQuoted = (command: string, start: number): Part | undefined => {
  let text = ''
  let at = start + 1
  while (at < command.length) {
    const char = command.charAt(at)
    if (char === '"') return { text, end: at + 1 }
    // `!` is history in an interactive shell.
    if (char === '$' || char === '`' || char === '!') return undefined
    const isEscape = char === '\\' && /["$`\\]/.test(command.charAt(at + 1))
    text += isEscape ? command.charAt(at + 1) : char
    at += isEscape ? 2 : 1
  }
  return undefined
}
