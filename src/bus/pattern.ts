import { definitions, type EventSubject } from './subjects/table.ts'

/** A subject, or several: `*` stands for one token, `>` for one or more at the end. */
export type Pattern = EventSubject | '>' | `${string}.>` | `${string}*${string}`

/** Whether a pattern matches a subject. Tokens are separated by dots. */
export const matches = (pattern: string, subject: string): boolean => {
  const wanted = pattern.split('.')
  const tokens = subject.split('.')
  const isMatch = (token: string, at: number) => token === '*' || token === tokens[at]
  if (wanted.at(-1) !== '>') return wanted.length === tokens.length && wanted.every(isMatch)
  return tokens.length >= wanted.length && wanted.slice(0, -1).every(isMatch)
}

/** The event subjects that a pattern matches. Throws if there are none: the pattern is wrong. */
export const subjectsFor = (pattern: string): string[] => {
  if (!isWellFormed(pattern)) throw new Error(`${pattern} is not a valid pattern.`)
  const found = [...definitions].filter(
    ([subject, { kind }]) => kind === 'event' && matches(pattern, subject),
  )
  if (found.length === 0) throw new Error(`${pattern} matches no event subject.`)
  return found.map(([subject]) => subject)
}

/** A wildcard is a token by itself, and `>` is the last token. */
const isWellFormed = (pattern: string): boolean =>
  pattern
    .split('.')
    .every((token, at, all) =>
      token === '>' ? at === all.length - 1 : token === '*' || /^[^*>\s]+$/.test(token),
    )
