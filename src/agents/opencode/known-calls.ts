import {
  type CallReader,
  commandTool,
  hasExactly,
  isLiteralPath,
  knownCallsOf,
} from '../tool-calls/known-call.ts'

const write: CallReader = (args) => {
  const { filePath, content } = args
  if (!hasExactly(args, { filePath: 'string', content: 'string' })) return undefined
  if (!isLiteralPath(filePath) || typeof content !== 'string') return undefined
  return { kind: 'edit', path: filePath, change: { type: 'content', content } }
}

const edit: CallReader = (args) => {
  const { filePath, oldString, newString, replaceAll } = args
  const required = { filePath: 'string', oldString: 'string', newString: 'string' } as const
  if (!hasExactly(args, required, { replaceAll: 'boolean' })) return undefined
  if (!isLiteralPath(filePath) || typeof oldString !== 'string' || typeof newString !== 'string')
    return undefined
  const replacements = [{ from: oldString, to: newString, isAll: replaceAll === true }]
  const change = { type: 'replacements', replacements, inSequence: false } as const
  return { kind: 'edit', path: filePath, change }
}

const read: CallReader = (args) => {
  const { filePath } = args
  const isExact = hasExactly(args, { filePath: 'string' }, { offset: 'number', limit: 'number' })
  return isExact && isLiteralPath(filePath) ? { kind: 'read', paths: [filePath] } : undefined
}

/** What the calls of OpenCode’s own tools do. `workdir` makes a command start elsewhere. */
export const openCodeKnownCall = knownCallsOf(
  new Map<string, CallReader>([
    [
      'bash',
      commandTool({ startsInCwd: true, harmless: { timeout: 'number', description: 'string' } }),
    ],
    ['write', write],
    ['edit', edit],
    ['read', read],
  ]),
)
