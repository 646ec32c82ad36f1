import { defined, type Fields, fieldsOf, listOf, numberOf, stringOf } from '../../shared/fields.ts'

/** An item of a session file, as the app-server prints it. */
export const appItemOf = (item: Fields): Fields => {
  const common = { ...camelCased(item), type: appType(item.type) }
  switch (item.type) {
    case 'UserMessage':
      return { ...common, content: listOf(item.content).map(inputOf) }
    case 'AgentMessage':
      return { ...common, text: textOf(item.content) }
    case 'Reasoning':
      return { ...common, summary: item.summary_text, content: item.raw_content }
    case 'ExitedReviewMode':
      return { ...common, review: fieldsOf(item.review_output).overall_explanation }
    case 'FileChange':
      return fileChange(item)
    case 'Extension':
      return { ...common, type: extensionTypes.get(item.kind) ?? common.type }
    default:
      return { ...common, ...callFields(item) }
  }
}

/** Items of Codex’s extensions have a type of their own in the app-server. */
const extensionTypes: ReadonlyMap<unknown, string> = new Map([
  ['image_gen.generation', 'imageGeneration'],
  ['clock.sleep', 'sleep'],
  ['web.search', 'webSearch'],
])

/** `CommandExecution` is `commandExecution` there. */
const appType = (type: unknown): unknown =>
  typeof type === 'string' ? type.charAt(0).toLowerCase() + type.slice(1) : type

const camelCased = (item: Fields): Fields =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [camelCase(name), value]))

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The fields of a call that have another form in a file. */
const callFields = (item: Fields): Fields => {
  const { command, cwd, path, duration, error, tool } = item
  return defined({
    command: Array.isArray(command) ? shellText(command) : undefined,
    cwd: pathOf(cwd),
    path: pathOf(path),
    duration: null,
    durationMs: millisecondsOf(duration),
    error: typeof error === 'string' ? { message: error } : undefined,
    // The names of Codex's own tools, such as `spawn_agent`.
    tool:
      item.type === 'CollabAgentToolCall' && typeof tool === 'string' ? camelCase(tool) : undefined,
  })
}

/** The words of a command as one text for a POSIX shell. */
const shellText = (words: readonly unknown[]): string => words.map(shellWord).join(' ')

const shellWord = (word: unknown): string => {
  const text = String(word)
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Files have paths as addresses. */
const pathOf = (value: unknown): string | undefined => {
  const text = stringOf(value)
  if (!text?.startsWith('file://')) return text
  try {
    return decodeURIComponent(text.slice('file://'.length))
  } catch {
    return text
  }
}

const millisecondsOf = (value: unknown): number | undefined => {
  const { secs, nanos } = fieldsOf(value)
  const seconds = numberOf(secs)
  return seconds === undefined
    ? undefined
    : Math.floor(seconds * 1000 + (numberOf(nanos) ?? 0) / 1e6)
}

/** The words of a message, whose parts are texts. */
const textOf = (content: unknown): string =>
  listOf(content)
    .map((part) => stringOf(fieldsOf(part).text) ?? '')
    .join('')

const inputOf = (part: unknown): unknown => {
  const { type, image_url: url } = fieldsOf(part)
  return type === 'image' ? { type, url } : part
}

/** The app-server lists the changed files. A file has them by path. */
const fileChange = (item: Fields): Fields => ({
  id: item.id,
  type: 'fileChange',
  status: item.status,
  changes: Object.entries(fieldsOf(item.changes))
    .map(([path, change]) => changeOf(path, fieldsOf(change)))
    .sort((left, right) => (String(left.path) < String(right.path) ? -1 : 1)),
})

const changeOf = (path: string, change: Fields): Fields => ({
  path,
  kind: { type: change.type, move_path: change.move_path },
  diff: stringOf(change.unified_diff) ?? stringOf(change.content),
})
