import { fieldsOf, listOf } from '../../shared/fields.ts'
import { readFileCall, replaceTextCall, writeFileCall } from '../tool-calls/file-path-calls.ts'
import {
  type CallReader,
  commandTool,
  hasExactly,
  isLiteralPath,
  knownCallsOf,
} from '../tool-calls/known-call.ts'

/**
 * Over ACP it sends no arguments. In a request for an approval, the title is the whole command, and the
 * text begins with the directory and ends with a mark if the command goes on in the background. The
 * title of any other line can be a description that the model wrote: then there is no such text.
 */
const describedCommand: CallReader = (args) => {
  const { title, text } = args
  if (!hasExactly(args, { title: 'string', text: 'string' })) return undefined
  if (typeof title !== 'string' || typeof text !== 'string') return undefined
  const startsInCwd = text.startsWith('[current working directory ')
  if (!startsInCwd && !text.startsWith('[in ')) return undefined
  const isPlain = startsInCwd && !text.endsWith(' [background]')
  return { kind: 'command', command: title, commandArgument: 'title', isPlain, startsInCwd }
}

/** Over ACP, an edit is the whole file before and after. */
const describedEdit: CallReader = (args) => {
  const { paths, diffs } = args
  if (!hasExactly(args, { paths: 'array', diffs: 'array' }, { title: 'string' })) return undefined
  const [path, ...otherPaths] = listOf(paths)
  const [diff, ...otherDiffs] = listOf(diffs).map(fieldsOf)
  if (otherPaths.length > 0 || otherDiffs.length > 0) return undefined
  if (!isLiteralPath(path) || diff?.path !== path) return undefined
  if (typeof diff.newText !== 'string') return undefined
  return { kind: 'edit', path, change: { type: 'content', content: diff.newText } }
}

const described =
  (ofArguments: CallReader, ofDescription: CallReader): CallReader =>
  (args) =>
    ofArguments(args) ?? ofDescription(args)

const command = described(
  commandTool({ startsInCwd: true, harmless: { description: 'string', is_background: false } }),
  describedCommand,
)

/** What the calls of Gemini CLI’s own tools do. The names of kinds stand for tools without a name. */
export const geminiKnownCall = knownCallsOf(
  new Map<string, CallReader>([
    ['run_shell_command', command],
    ['execute', describedCommand],
    ['write_file', described(writeFileCall, describedEdit)],
    [
      'replace',
      described(replaceTextCall('allow_multiple', { instruction: 'string' }), describedEdit),
    ],
    ['edit', describedEdit],
    ['read_file', readFileCall('start_line', 'end_line')],
  ]),
)
