import { type CallReader, hasExactly, isLiteralPath } from './known-call.ts'

/** The tools for files that Gemini CLI and Qwen Code share: `file_path` names the file. */
export const writeFileCall: CallReader = (args) => {
  const { file_path: path, content } = args
  if (!hasExactly(args, { file_path: 'string', content: 'string' })) return undefined
  if (!isLiteralPath(path) || typeof content !== 'string') return undefined
  return { kind: 'edit', path, change: { type: 'content', content } }
}

/** The reader of a tool that replaces text. `all` is the argument that makes it replace each match. */
export const replaceTextCall =
  (all: string, harmless: Readonly<Record<string, 'string'>> = {}): CallReader =>
  (args) => {
    const { file_path: path, old_string: from, new_string: to } = args
    const required = { file_path: 'string', old_string: 'string', new_string: 'string' } as const
    if (!hasExactly(args, required, { [all]: 'boolean', ...harmless })) return undefined
    if (!isLiteralPath(path) || typeof from !== 'string' || typeof to !== 'string') return undefined
    const replacements = [{ from, to, isAll: args[all] === true }]
    return { kind: 'edit', path, change: { type: 'replacements', replacements, inSequence: false } }
  }

/** The reader of a tool that reads one file. The names are arguments that choose a part of it. */
export const readFileCall =
  (...parts: readonly string[]): CallReader =>
  (args) => {
    const { file_path: path } = args
    const optional = Object.fromEntries(parts.map((name) => [name, 'number'] as const))
    const isExact = hasExactly(args, { file_path: 'string' }, optional)
    return isExact && isLiteralPath(path) ? { kind: 'read', paths: [path] } : undefined
  }
