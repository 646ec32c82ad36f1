import {
  type Fields,
  fieldsOf,
  listOf,
  stringIn,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'
import { diffReplacements } from '../tool-calls/diff-replacements.ts'
import { replaceTextCall, writeFileCall } from '../tool-calls/file-path-calls.ts'
import {
  type CallReader,
  commandTool,
  hasExactly,
  isLiteralPath,
  type KnownCall,
  knownCallsOf,
} from '../tool-calls/known-call.ts'

/** A command in a terminal of Sluice. A directory or variables of its own are listed beside it. */
const terminalCall: CallReader = (args) =>
  commandTool({ startsInCwd: args.cwd === undefined, harmless: {} })(args)

/** A command of the agent. Where its shell is by now is not known. */
const commandCall: CallReader = (args) => {
  const { commands, ...others } = args
  const isRepeated = stringsOf(commands).join() === args.command
  return commandTool({
    startsInCwd: false,
    harmless: { description: 'string', timeout: 'number' },
  })(isRepeated ? others : args)
}

/** The whole file in the content of the call, for agents that send no arguments. */
const contentCall: CallReader = (args) => {
  const [diff, ...others] = listOf(args.diffs).map(fieldsOf)
  const isExact = hasExactly(args, { diffs: 'array' }, { title: 'string', paths: 'array' })
  if (!diff || others.length > 0 || !isExact) return undefined
  const { path, oldText, newText } = diff
  if (stringsOf(args.paths).some((each) => each !== path) || typeof newText !== 'string')
    return undefined
  if (typeof oldText !== 'string') return editOf(path, { type: 'content', content: newText })
  return replacing(path, [{ from: oldText, to: newText, isAll: false }])
}

/** A unified diff of one file. */
const patchCall: CallReader = (args) => {
  const path = stringIn(args, 'filepath', 'fileName')
  const diff = stringOf(args.diff) ?? ''
  const isExact = Object.keys(args).length === 2 && diff.match(/^\+\+\+ /gm)?.length === 1
  const replacements = isExact ? diffReplacements(diff) : undefined
  return replacements && replacing(path, replacements)
}

type Change = NonNullable<Extract<KnownCall, { kind: 'edit' }>['change']>

const replacing = (
  path: unknown,
  replacements: Extract<Change, { type: 'replacements' }>['replacements'],
) => editOf(path, { type: 'replacements', replacements, inSequence: false })

/** The protocol demands absolute paths. */
const editOf = (path: unknown, change: Change): KnownCall | undefined =>
  isLiteralPath(path) && path.startsWith('/') ? { kind: 'edit', path, change } : undefined

/** An edit in one of the forms that agents send. */
const editCall: CallReader = (args: Fields) => {
  const call =
    contentCall(args) ??
    patchCall(args) ??
    writeFileCall(args) ??
    replaceTextCall('replace_all')(args)
  return call?.kind === 'edit' && call.path.startsWith('/') ? call : undefined
}

/**
 * What calls of agents over ACP do, by the name of the tool or by its kind. Reads are not among them:
 * a tool of that name may do more, and a mode could allow it without a question.
 */
export const acpKnownCall = knownCallsOf(
  new Map<string, CallReader>([
    ['write_file', writeFileCall],
    ['run_shell_command', terminalCall],
    ...['execute', 'bash', 'Bash', 'shell'].map((name) => [name, commandCall] as const),
    ...['edit', 'Edit', 'write', 'Write', 'replace', 'create'].map(
      (name) => [name, editCall] as const,
    ),
  ]),
)
