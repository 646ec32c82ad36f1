import { secretRules } from './rules.ts'
import { findRanges, replaceRanges, type SecretRange, type SecretRule } from './secret-range.ts'

/** What is hidden besides keys, tokens, passwords, e-mail addresses and usual home directories. */
export interface RedactOptions {
  /** Home directory of the user, if it is in an unusual place. It becomes `~`. */
  home?: string
  /** Words to hide wherever they occur: a user name, a host, a project. */
  words?: readonly string[]
}

/** Replaces what must not leave the machine: keys, tokens, passwords, e-mail addresses, home paths. */
export const redactText = (text: string, options: RedactOptions = {}): string =>
  replaceRanges(text, findSecrets(text, rulesFor(options)))

/** The ranges of a text that must not leave the machine. */
export const findSecrets = (text: string, rules: readonly SecretRule[]): SecretRange[] =>
  findRanges(text, rules)

/** The rules, with those for what the options name. */
export const rulesFor = ({ home, words = [] }: RedactOptions): readonly SecretRule[] => [
  ...secretRules,
  ...(home === undefined || home.length < 2
    ? []
    : [{ name: 'own home', pattern: literal(home, '(?![\\w.-])'), replacement: '~' }]),
  ...words
    .filter((word) => word.length > 1)
    .map((word) => ({
      name: 'words',
      pattern: literal(word, '', 'gi'),
      replacement: '[redacted]',
    })),
]

const literal = (text: string, after: string, flags = 'g'): RegExp =>
  new RegExp(`${text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}${after}`, flags)
