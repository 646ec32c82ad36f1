import { definitions, type EventSubject } from './subjects/table.ts'

/** A subject, or several: `*` stands for one token, `>` for one or more at the end. */
export type Pattern = EventSubject | '>' | `${string}.>` | `${string}*${string}`

/** Whether a subject is meant by a pattern. Tokens are separated by dots. */
export const matches = (pattern: string, subject: string): boolean => {
  const wanted = pattern.split('.')
  const tokens = subject.split('.')
  const fits = (token: string, at: number) => token === '*' || token === tokens[at]
  if (wanted.at(-1) !== '>') return wanted.length === tokens.length && wanted.every(fits)
  return tokens.length >= wanted.length && wanted.slice(0, -1).every(fits)
}

/** The event subjects that a pattern means. One that means none is a mistake, and thrown. */
export const subjectsFor = (pattern: string): string[] => {
  if (!isWellFormed(pattern)) throw new Error(`not a pattern: ${pattern}`)
  const found = [...definitions].filter(
    ([subject, { kind }]) => kind === 'event' && matches(pattern, subject),
  )
  if (found.length === 0) throw new Error(`no event subject is meant by ${pattern}`)
  return found.map(([subject]) => subject)
}

/** A wildcard is a token by itself, and `>` is the last one. */
const isWellFormed = (pattern: string): boolean =>
  pattern
    .split('.')
    .every((token, at, all) =>
      token === '>' ? at === all.length - 1 : token === '*' || /^[^*>\s]+$/.test(token),
    )
