import { pathIn } from '../../../src/agents/tool-calls/file-edit.ts'
import { questionsIn } from '../../../src/agents/tool-calls/questions.ts'
import { type ToolKind, toolKindOf } from '../../../src/agents/tool-calls/tool-kind.ts'
import { fieldsOf, stringIn } from '../../../src/shared/fields.ts'
import { relativePath } from '../parts/relative-path.ts'

/** What a call is about, in one line. Paths are relative to the directory of the session. */
export const subjectOf = (toolName: string, args: unknown, cwd?: string): string => {
  const kind = toolKindOf(toolName)
  if (!isAboutFile(kind)) return oneLine(subjects[kind](args, cwd))
  const path = relativePath(subjects[kind](args), cwd)
  return path.length > longest ? `…${oneLine(path.slice(-longest))}` : oneLine(path)
}

/** Whether the subject of such a call is the path of a file. */
export const isAboutFile = (kind: ToolKind): boolean => kind === 'read' || kind === 'edit'

const subjects: Record<ToolKind, (args: unknown, cwd?: string) => string> = {
  shell: (args) => stringIn(args, 'command', 'cmd') ?? '',
  read: (args) => pathIn(args) ?? '',
  edit: (args) => pathIn(args) ?? '',
  search(args, cwd) {
    const path = stringIn(args, 'path', 'glob')
    return [stringIn(args, 'pattern', 'query', 'url'), path && relativePath(path, cwd)]
      .filter((part) => part !== undefined)
      .join('  in ')
  },
  subagent: (args) => stringIn(args, 'description', 'prompt') ?? '',
  question: (args) => questionsIn(args)[0]?.question ?? '',
  plan: (args) => firstLine(stringIn(args, 'plan') ?? ''),
  other: (args) => firstText(args),
}

const firstText = (args: unknown): string => {
  if (typeof args === 'string') return args
  const found = Object.values(fieldsOf(args)).find((value) => typeof value === 'string')
  return typeof found === 'string' ? found : ''
}

/** The first line that has text, without the signs of a heading. */
const firstLine = (markdown: string): string => /^[#\s]*(.*)/.exec(markdown)?.[1] ?? ''

const longest = 240

const oneLine = (text: string): string => {
  const line = text
    .slice(0, longest * 2)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}
