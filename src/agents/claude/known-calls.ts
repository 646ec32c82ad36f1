import { type Fields, flagOf, isFields } from '../../shared/fields.ts'
import type { Replacement } from '../tool-calls/file-edit.ts'
import {
  type CallReader,
  commandTool,
  hasExactly,
  isLiteralPath,
  knownCallsOf,
  type ReadCall,
} from '../tool-calls/known-call.ts'

/** Relative paths begin where the last `cd` of its shell led to, which is not known here. */
const isCertainPath = (path: unknown): path is string =>
  isLiteralPath(path) && /^(?:\/|[A-Za-z]:[\\/])/.test(path)

const write: CallReader = (args) => {
  const { file_path: path, content } = args
  if (!hasExactly(args, { file_path: 'string', content: 'string' })) return undefined
  if (!isCertainPath(path) || typeof content !== 'string') return undefined
  return { kind: 'edit', path, change: { type: 'content', content } }
}

const replacementArguments = { old_string: 'string', new_string: 'string' } as const

const edit: CallReader = (args) => {
  const required = { file_path: 'string', ...replacementArguments } as const
  if (!hasExactly(args, required, { replace_all: 'boolean' })) return undefined
  const { file_path: path, ...replacement } = args
  return replacing(path, [replacement])
}

const multiEdit: CallReader = (args) => {
  const { file_path: path, edits } = args
  if (!hasExactly(args, { file_path: 'string', edits: 'array' })) return undefined
  if (!Array.isArray(edits) || !edits.every(isReplacement)) return undefined
  return replacing(path, edits)
}

const isReplacement = (value: unknown): value is Fields =>
  isFields(value) && hasExactly(value, replacementArguments, { replace_all: 'boolean' })

const replacing = (path: unknown, edits: readonly Fields[]) => {
  if (!isCertainPath(path)) return undefined
  const replacements = edits.flatMap(replacementOf)
  return {
    kind: 'edit',
    path,
    change: { type: 'replacements', replacements, inSequence: true },
  } as const
}

const replacementOf = ({ old_string, new_string, replace_all }: Fields): Replacement[] =>
  typeof old_string === 'string' && typeof new_string === 'string'
    ? [{ from: old_string, to: new_string, isAll: flagOf(replace_all) ?? false }]
    : []

/** The cells of a notebook are not lines of its file, so no diff is drawn. */
const notebookEdit: CallReader = (args) => {
  const { notebook_path: path } = args
  const optional = { cell_id: 'string', cell_type: 'string', edit_mode: 'string' } as const
  const isExact = hasExactly(args, { notebook_path: 'string', new_source: 'string' }, optional)
  return isExact && isCertainPath(path) ? { kind: 'edit', path } : undefined
}

const read: CallReader = (args) => {
  const { file_path: path } = args
  const optional = { offset: 'number', limit: 'number', pages: 'string' } as const
  const isExact = hasExactly(args, { file_path: 'string' }, optional)
  return isExact && isCertainPath(path) ? { kind: 'read', paths: [path] } : undefined
}

const grep: CallReader = (args) =>
  hasExactly(args, { pattern: 'string' }, grepOptions) ? readBelow(args) : undefined

/** Reads below a path. Without one, Claude Code reads where its shell is, which never leaves the project. */
const readBelow = ({ path }: Fields): ReadCall | undefined => {
  if (path === undefined) return { kind: 'read', paths: ['.'] }
  return isCertainPath(path) ? { kind: 'read', paths: [path] } : undefined
}

const grepOptions = {
  path: 'string',
  glob: 'string',
  type: 'string',
  output_mode: 'string',
  '-A': 'number',
  '-B': 'number',
  '-C': 'number',
  context: 'number',
  '-n': 'boolean',
  '-i': 'boolean',
  head_limit: 'number',
  offset: 'number',
  multiline: 'boolean',
} as const

/** A pattern can lead out of its directory. */
const glob: CallReader = (args) => {
  const { pattern } = args
  if (!hasExactly(args, { pattern: 'string' }, { path: 'string' })) return undefined
  if (!isLiteralPath(pattern) || pattern.startsWith('/') || pattern.includes('..')) return undefined
  return readBelow(args)
}

/** What the calls of Claude Code’s own tools do. */
export const claudeKnownCall = knownCallsOf(
  new Map<string, CallReader>([
    [
      'Bash',
      // Its shell keeps the directory of the last `cd`.
      commandTool({
        startsInCwd: false,
        harmless: {
          description: 'string',
          timeout: 'number',
          run_in_background: false,
          dangerouslyDisableSandbox: false,
        },
      }),
    ],
    ['Write', write],
    ['Edit', edit],
    ['MultiEdit', multiEdit],
    ['NotebookEdit', notebookEdit],
    ['Read', read],
    ['Grep', grep],
    ['Glob', glob],
  ]),
)
