import { fieldsOf, numberOf, stringOf } from '../shared/fields.ts'
import { claudeSource } from '../watch/sources/claude.ts'
import { codexSource } from '../watch/sources/codex.ts'
import { copilotSource } from '../watch/sources/copilot.ts'
import type { FileSource } from '../watch/sources/file-source.ts'
import { piSource } from '../watch/sources/pi.ts'
import { qwenSource } from '../watch/sources/qwen.ts'

/** Where an agent stores a conversation, by its own id of it. */
export interface HistoryLayout {
  /** The directory below which conversations are. Nothing outside it is read or written. */
  readonly directory: FileSource['directory']
  /** The path of the conversation’s own file below the directory, name by name. */
  main(nativeId: string): readonly NamePattern[]
  /** Other files of the conversation. A path is that of the own file. Default: there are none. */
  sides?(mainPath: string, nativeId: string): readonly SideFiles[]
  /**
   * The conversation that this one goes on from, by the first line of its own file: the agent reads so many bytes of the
   * other one’s own file, too. Default: a copy has everything itself.
   */
  base?(firstLine: unknown): ConversationBase | undefined
  /** The name of the first directory, when the agent makes it from the one that it works in. */
  projectDirectory?(cwd: string): string
}

export interface ConversationBase {
  nativeId: string
  bytes: number
}

/** A name, or a pattern that it must match as a whole. */
export type NamePattern = string | RegExp

/** Files in a directory, and in directories of it as deep as `depth`. */
export interface SideFiles {
  readonly directory: string
  readonly name: RegExp
  readonly depth: number
}

/** The agents that continue a conversation from these files alone. */
export const historyLayouts: Readonly<Record<string, HistoryLayout>> = {
  claude: {
    directory: claudeSource.directory,
    main: (id) => [/^[\w-]+$/, `${id}.jsonl`],
    sides: (path) => {
      const own = path.slice(0, -'.jsonl'.length)
      return [
        { directory: own, name: /^custom-title\.json$/, depth: 0 },
        { directory: `${own}/subagents`, name: /^agent-[\w-]+\.(?:jsonl|meta\.json)$/, depth: 3 },
        { directory: `${own}/tool-results`, name: /^[\w-]+\.(?:txt|json)$/, depth: 0 },
      ]
    },
    projectDirectory: claudeName,
  },
  pi: {
    directory: piSource.directory,
    main: (id) => [/^--.*--$/, new RegExp(`^[\\w-]+_${id}\\.jsonl$`)],
    projectDirectory: (cwd) => `--${cwd.replace(/^\//, '').replaceAll(/[/\\:]/g, '-')}--`,
  },
  codex: {
    directory: codexSource.directory,
    main: (id) => [/^\d{4}$/, /^\d\d$/, /^\d\d$/, new RegExp(`^rollout-[\\dT-]+-${id}\\.jsonl$`)],
    base(firstLine) {
      const base = fieldsOf(fieldsOf(fieldsOf(firstLine).payload).history_base)
      const nativeId = stringOf(base.thread_id)
      const bytes = numberOf(base.end_byte_offset)
      const isSize = bytes !== undefined && Number.isSafeInteger(bytes) && bytes >= 0
      return nativeId !== undefined && isSize && isSafeId(nativeId)
        ? { nativeId, bytes }
        : undefined
    },
  },
  qwen: {
    directory: qwenSource.directory,
    main: (id) => [/^[\w-]+$/, 'chats', `${id}.jsonl`],
    sides: (path, id) => [
      {
        directory: path.replace(/chats\/[^/]+$/, `subagents/${id}`),
        name: /^agent-[\w-]+\.(?:jsonl|meta\.json)$/,
        depth: 0,
      },
    ],
    projectDirectory: claudeName,
  },
  copilot: {
    directory: copilotSource.directory,
    main: (id) => [id, 'events.jsonl'],
    sides: (_, id) => [
      { directory: id, name: /^workspace\.yaml$/, depth: 0 },
      { directory: `${id}/checkpoints`, name: /^[\w-]+\.(?:md|json)$/, depth: 0 },
    ],
  },
}

function claudeName(cwd: string): string {
  return cwd.replaceAll(/[^A-Za-z0-9]/g, '-')
}

/** Ids of agents are UUIDs and the like. Others could be parts of a path or of a pattern. */
export const isSafeId = (nativeId: string): boolean => /^\w[\w-]{3,127}$/.test(nativeId)

export const matchesName = (pattern: NamePattern, name: string): boolean =>
  typeof pattern === 'string' ? pattern === name : pattern.test(name)

/** Whether a path below the directory of the agent is that of a side file of a conversation. */
export const isSide = (
  layout: HistoryLayout,
  path: string,
  { mainPath, nativeId }: { mainPath: string; nativeId: string },
): boolean => {
  const names = path.split('/')
  const name = names.pop() ?? ''
  const isIn = ({ directory, depth, ...side }: SideFiles): boolean => {
    const above = directory.split('/')
    const between = names.slice(above.length)
    const isBelow = above.every((each, index) => names[index] === each)
    return isBelow && between.length <= depth && between.every(isPlain) && side.name.test(name)
  }
  return layout.sides?.(mainPath, nativeId).some(isIn) === true
}

/** Whether a path below the directory of the agent is that of the own file of a conversation. */
export const isMain = (layout: HistoryLayout, path: string, nativeId: string): boolean => {
  const names = path.split('/')
  const patterns = layout.main(nativeId)
  return (
    names.length === patterns.length &&
    names.every(isName) &&
    patterns.every((pattern, index) => matchesName(pattern, names[index] ?? ''))
  )
}

/** Whether a path is that of the own file of some other conversation that this one may go on from. */
export const isBase = (layout: HistoryLayout, path: string): boolean => {
  const [, nativeId] = /([\da-f]{8}-[\da-f-]{27})\.jsonl$/.exec(path) ?? []
  return layout.base !== undefined && nativeId !== undefined && isMain(layout, path, nativeId)
}

/** Directories of subagents. */
export const isPlain = (name: string): boolean => /^[\w-]+$/.test(name)

/** A single name: no `.`, no `..`, nothing that ends a name early. */
const isName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !/[\0/\\]/.test(name)
