import {
  type CallReader,
  commandTool,
  hasExactly,
  isLiteralPath,
  knownCallsOf,
} from '../tool-calls/known-call.ts'

const edit: CallReader = (args) => {
  const { path, oldText: from, newText: to } = args
  if (!hasExactly(args, { path: 'string', oldText: 'string', newText: 'string' })) return undefined
  if (!isLiteralPath(path) || typeof from !== 'string' || typeof to !== 'string') return undefined
  const replacements = [{ from, to, isAll: false }]
  return { kind: 'edit', path, change: { type: 'replacements', replacements, inSequence: false } }
}

const read: CallReader = (args) => {
  const { path } = args
  const isExact = hasExactly(args, { path: 'string' })
  return isExact && isLiteralPath(path) ? { kind: 'read', paths: [path] } : undefined
}

/** What the calls of the demo’s tools would do. */
export const demoKnownCall = knownCallsOf(
  new Map<string, CallReader>([
    ['bash', commandTool({ startsInCwd: true, harmless: {} })],
    ['edit', edit],
    ['read', read],
  ]),
)
