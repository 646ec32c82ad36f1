import { fieldsOf } from '../../../src/shared/fields.ts'
import { textIn } from './fields.ts'
import { kindOf, type ToolKind } from './kind-of.ts'

/** What a call is about, in one line. */
export const subjectOf = (toolName: string, args: unknown): string =>
  oneLine(subjects[kindOf(toolName)](args))

const subjects: Record<ToolKind, (args: unknown) => string> = {
  shell: (args) => textIn(args, 'command', 'cmd') ?? '',
  read: (args) => textIn(args, 'path', 'file_path', 'filePath') ?? '',
  edit: (args) => textIn(args, 'path', 'file_path', 'filePath', 'notebook_path') ?? '',
  search: (args) =>
    [textIn(args, 'pattern', 'query', 'url'), textIn(args, 'path', 'glob')]
      .filter((part) => part !== undefined)
      .join('  in '),
  subagent: (args) => textIn(args, 'description', 'prompt') ?? '',
  question: (args) => textIn(firstOf(fieldsOf(args).questions), 'question') ?? '',
  other: (args) => firstText(args),
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined)

const firstText = (args: unknown): string => {
  if (typeof args === 'string') return args
  const found = Object.values(fieldsOf(args)).find((value) => typeof value === 'string')
  return typeof found === 'string' ? found : ''
}

const longest = 240

const oneLine = (text: string): string => {
  const line = text
    .slice(0, longest * 2)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}
