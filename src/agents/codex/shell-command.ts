/**
 * Codex prints a command with its shell around it, as one text: `/bin/bash -lc 'echo hi'`. Returns the
 * script, which is what the shell runs; the whole text if it is not exactly one script.
 */
export const scriptOf = (command: string): string => {
  const [, quoted] = /^(?:\/[\w./-]*\/)?(?:ba|z|da|k)?sh -l?c (.+)$/s.exec(command) ?? []
  return (quoted === undefined ? undefined : wordOf(quoted)) ?? command
}

/** The value of a text that is exactly one word of a POSIX shell; undefined if it is not one. */
const wordOf = (text: string): string | undefined => {
  let word = ''
  for (let at = 0; at < text.length; ) {
    const part = readPart(text, at)
    if (!part) return undefined
    word += part.value
    at = part.end
  }
  return word
}

interface Part {
  value: string
  end: number
}

const readPart = (text: string, at: number): Part | undefined => {
  const first = text.charAt(at)
  if (first === "'") return readSingleQuoted(text, at + 1)
  if (first === '"') return readDoubleQuoted(text, at + 1)
  if (first === '\\') {
    const next = text.charAt(at + 1)
    return next === '' || next === '\n' ? undefined : { value: next, end: at + 2 }
  }
  return plain.test(first) ? { value: first, end: at + 1 } : undefined
}

/** Characters that mean themselves outside of quotes. */
const plain = /[\p{L}\p{N}@%+=:,./_-]/u

const readSingleQuoted = (text: string, start: number): Part | undefined => {
  const end = text.indexOf("'", start)
  return end < 0 ? undefined : { value: text.slice(start, end), end: end + 1 }
}

const readDoubleQuoted = (text: string, start: number): Part | undefined => {
  let value = ''
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '"') return { value, end: at + 1 }
    // The shell would replace these: then the text is not what runs.
    if (char === '$' || char === '`') return undefined
    const next = text.charAt(at + 1)
    if (char === '\\' && next === '\n') return undefined
    if (char === '\\' && /["\\$`]/.test(next)) {
      value += next
      at += 1
    } else value += char
  }
  return undefined
}
