import { diffReplacements } from '../tool-calls/diff-replacements.ts'
import {
  type CallReader,
  hasExactly,
  isLiteralPath,
  knownCallsOf,
} from '../tool-calls/known-call.ts'
import { changedFilesIn } from './file-changes.ts'

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
  const replacements = diffReplacements(diff)
  if (!replacements) return { kind: 'edit', path }
  return { kind: 'edit', path, change: { type: 'replacements', replacements, inSequence: false } }
}

/** What the calls of Codex’s own tools do. */
export const codexKnownCall = knownCallsOf(
  new Map<string, CallReader>([
    ['command_execution', commandExecution],
    ['file_change', fileChange],
  ]),
)
