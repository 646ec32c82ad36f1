import type { Replacement } from '../tool-calls/file-edit.ts'
import {
  type CallReader,
  hasExactly,
  isLiteralPath,
  knownCallsOf,
} from '../tool-calls/known-call.ts'
import { type CodexChange, changedFilesIn } from './file-changes.ts'

/** A command runs in the directory of the session, unless its arguments name another one. */
const commandExecution: CallReader = (args) => {
  const { command, cwd } = args
  if (typeof command !== 'string') return undefined
  const isPlain = hasExactly(args, { command: 'string' }, { cwd: 'string' })
  const startsInCwd = cwd === undefined
  return { kind: 'command', command, commandArgument: 'command', isPlain, startsInCwd }
}

/** A change to one file. One to several files has no single path that a rule could match. */
const fileChange: CallReader = (args) => {
  const [file, ...others] = changedFilesIn(args)
  if (!file || others.length > 0 || !hasExactly(args, { changes: 'array' })) return undefined
  const { path, kind, movedTo, diff } = file
  if (!isLiteralPath(path) || movedTo !== undefined || diff === undefined) return undefined
  if (kind === 'add') return { kind: 'edit', path, change: { type: 'content', content: diff } }
  if (kind !== 'update') return undefined
  const replacements = replacementsIn(file)
  if (!replacements) return { kind: 'edit', path }
  return { kind: 'edit', path, change: { type: 'replacements', replacements, inSequence: false } }
}

/** The hunks of an update as texts to replace; undefined if a hunk cannot be read that way. */
const replacementsIn = ({ diff = '' }: CodexChange): Replacement[] | undefined => {
  const hunks = diff.split(/^@@[^\n]*\n/m).slice(1)
  const replacements = hunks.map((hunk) => {
    const lines = hunk.split('\n').slice(0, -1)
    const side = (sign: '-' | '+') =>
      lines
        .filter((line) => line.startsWith(' ') || line.startsWith(sign))
        .map((line) => `${line.slice(1)}\n`)
        .join('')
    return { from: side('-'), to: side('+'), isAll: false }
  })
  const isCertain = replacements.length > 0 && !/^\\/m.test(diff)
  return isCertain && replacements.every(({ from }) => from !== '') ? replacements : undefined
}

/** What the calls of Codex’s own tools do. */
export const codexKnownCall = knownCallsOf(
  new Map<string, CallReader>([
    ['command_execution', commandExecution],
    ['file_change', fileChange],
  ]),
)
