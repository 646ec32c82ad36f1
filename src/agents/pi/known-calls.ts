import { type Fields, isFields } from '../../shared/fields.ts'
import type { Replacement } from '../tool-calls/file-edit.ts'
import {
  type CallReader,
  commandTool,
  hasExactly,
  isLiteralPath,
  knownCallsOf,
} from '../tool-calls/known-call.ts'

const write: CallReader = (args) => {
  const { path, content } = args
  if (!hasExactly(args, { path: 'string', content: 'string' })) return undefined
  if (!isLiteralPath(path) || typeof content !== 'string') return undefined
  return { kind: 'edit', path, change: { type: 'content', content } }
}

const replacementArguments = { oldText: 'string', newText: 'string' } as const

/** A list of edits, or a single one as older versions send it. */
const edit: CallReader = (args) => {
  const { path, ...rest } = args
  const edits =
    Array.isArray(rest.edits) && hasExactly(rest, { edits: 'array' }) ? rest.edits : [rest]
  if (!isLiteralPath(path) || !edits.every(isReplacement)) return undefined
  const replacements = edits.flatMap(replacementOf)
  return { kind: 'edit', path, change: { type: 'replacements', replacements, inSequence: false } }
}

const isReplacement = (value: unknown): value is Fields =>
  isFields(value) && hasExactly(value, replacementArguments)

const replacementOf = ({ oldText, newText }: Fields): Replacement[] =>
  typeof oldText === 'string' && typeof newText === 'string'
    ? [{ from: oldText, to: newText, isAll: false }]
    : []

/** The reader of a tool that reads below a path, by default the current directory. */
const readsBelow =
  (required: Record<string, 'string'>, optional: Record<string, 'string' | 'number' | 'boolean'>) =>
  (args: Fields) => {
    const { path = '.' } = args
    const isExact = hasExactly(args, required, { path: 'string', ...optional })
    return isExact && isLiteralPath(path) ? ({ kind: 'read', paths: [path] } as const) : undefined
  }

const read = readsBelow({ path: 'string' }, { offset: 'number', limit: 'number' })
const ls = readsBelow({}, { limit: 'number' })
const grep = readsBelow(
  { pattern: 'string' },
  { glob: 'string', ignoreCase: 'boolean', literal: 'boolean', context: 'number', limit: 'number' },
)
const find: CallReader = (args) => {
  const { pattern } = args
  const isInside = isLiteralPath(pattern) && !pattern.startsWith('/') && !pattern.includes('..')
  return isInside ? readsBelow({ pattern: 'string' }, { limit: 'number' })(args) : undefined
}

/** What the calls of Pi’s own tools do. */
export const piKnownCall = knownCallsOf(
  new Map<string, CallReader>([
    ['bash', commandTool({ startsInCwd: true, harmless: { timeout: 'number' } })],
    ['write', write],
    ['edit', edit],
    ['read', read],
    ['ls', ls],
    ['grep', grep],
    ['find', find],
  ]),
)
