import { readCommandPattern } from './command-pattern.ts'
import { isBelow } from './path-pattern.ts'
import { coversCall, type RuleSubject, type SubjectCall } from './rules.ts'
import { isPlainWord, shellWords } from './shell-words.ts'

/** A rule that a person could add to allow a call from now on. */
export interface SuggestedRule {
  tool: string
  pattern?: string | undefined
}

/** Rules that would allow a call and others like it, the narrowest first. */
export const suggestRules = (subject: RuleSubject): SuggestedRule[] => {
  const { tool, call } = subject
  if (!call) return []
  const patterns = call.kind === 'command' ? commandPatterns(call.command) : pathPatterns(call)
  return patterns
    .map((pattern) => ({ tool, ...(pattern !== undefined && { pattern }) }))
    .filter((rule) => coversCall({ effect: 'allow', ...rule }, subject))
}

const commandPatterns = (command: string): string[] => {
  // As a pattern, such a command would cover more than itself.
  const exact = readCommandPattern(command).isOpen || command.length > maxLength ? [] : [command]
  return [...exact, ...openPatterns(shellWords(command) ?? [])]
}

const maxLength = 10_000

/** Programs whose further arguments seldom change what kind of thing they do. */
const open = new Set(['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'rg', 'pwd', 'tsc'])
/** Programs whose second word says what they do. */
const openBySecond = new Map<string, ReadonlySet<string>>([
  ['git', new Set(['diff', 'log', 'show', 'status', 'blame', 'add', 'ls-files', 'rev-parse'])],
  ['npm', new Set(['test', 'run', 'ls', 'view', 'outdated'])],
  ['pnpm', new Set(['test', 'run', 'ls', 'outdated'])],
  ['yarn', new Set(['test', 'run', 'list', 'outdated'])],
  ['cargo', new Set(['test', 'build', 'check', 'clippy', 'fmt'])],
  ['go', new Set(['test', 'build', 'vet', 'fmt'])],
])

const openPatterns = ([first = '', second = '', third = '']: readonly string[]): string[] => {
  if (open.has(first)) return [`${first} *`]
  if (!openBySecond.get(first)?.has(second)) return []
  if (second !== 'run') return [`${first} ${second} *`]
  return isPlainWord(third) ? [`${first} run ${third} *`] : []
}

type FileCall = Extract<SubjectCall, { kind: 'edit' | 'read' }>

const pathPatterns = ({ kind, paths, base }: FileCall): (string | undefined)[] => {
  const [path] = paths.map(({ real }) => real)
  if (path === undefined || path.includes('*')) return kind === 'read' ? [undefined] : []
  const isInside = base !== '/' && path !== base && isBelow(path, base)
  const shown = isInside ? path.slice(base.length + 1) : path
  if (kind === 'read') return [shown, undefined]
  const directory = shown.slice(0, shown.lastIndexOf('/') + 1)
  return directory === '' || directory === '/' ? [shown] : [shown, `${directory}**`]
}
