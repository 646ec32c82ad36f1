import { type Fields, isFields } from '../../shared/fields.ts'
import type { Replacement } from './file-edit.ts'

/**
 * A call of a tool that Sluice knows, whose arguments say for certain what it does. Only then may a
 * preview draw the call, or a rule decide about it.
 */
export type KnownCall = CommandCall | EditCall | ReadCall

/** A shell command. */
export interface CommandCall {
  readonly kind: 'command'
  readonly command: string
  /** The argument that holds the command. */
  readonly commandArgument: string
  /** Whether the command alone says what runs; false if another argument changes that. */
  readonly isPlain: boolean
  /** Whether the command starts in the directory of the session; some shells keep their own. */
  readonly startsInCwd: boolean
}

/** A change to one file. */
export interface EditCall {
  readonly kind: 'edit'
  readonly path: string
  /** What happens to the file; absent if no diff can be drawn from the arguments. */
  readonly change?: FileChange
}

/** Reads inside these files and directories, and does nothing else. */
export interface ReadCall {
  readonly kind: 'read'
  readonly paths: readonly string[]
}

export type FileChange =
  /** The whole content afterwards. */
  | { readonly type: 'content'; readonly content: string }
  /** `inSequence`: each one sees what the ones before have changed; otherwise all see the file. */
  | {
      readonly type: 'replacements'
      readonly replacements: readonly Replacement[]
      readonly inSequence: boolean
    }

/** Reads a call of one tool; undefined if its arguments are not exactly those of the tool. */
export type CallReader = (args: Fields) => KnownCall | undefined

/** A function that reads the calls of an agent’s tools, by the exact name of the tool. */
export const knownCallsOf =
  (tools: ReadonlyMap<string, CallReader>) =>
  (toolName: string, args: unknown): KnownCall | undefined =>
    isFields(args) ? tools.get(toolName)?.(args) : undefined

/** What an argument may be: a type, or the one value that changes nothing. */
type ArgumentType = 'string' | 'number' | 'boolean' | 'array' | false
type Arguments = Readonly<Record<string, ArgumentType>>

/** Whether the arguments are exactly these, with these types. */
export const hasExactly = (args: Fields, required: Arguments, optional: Arguments = {}): boolean =>
  Object.keys(required).every((name) => Object.hasOwn(args, name)) &&
  Object.entries(args).every(([name, value]) => {
    const types = Object.hasOwn(required, name) ? required : optional
    return Object.hasOwn(types, name) && isOfType(value, types[name])
  })

const isOfType = (value: unknown, type: ArgumentType | undefined): boolean => {
  if (type === false) return value === false
  if (type === 'array') return Array.isArray(value)
  return typeof value === type
}

export interface CommandToolOptions {
  /** Arguments that do not change what runs. */
  harmless: Arguments
  startsInCwd: boolean
}

/** The reader of a tool whose argument `command` is a shell command. */
export const commandTool =
  ({ harmless, startsInCwd }: CommandToolOptions): CallReader =>
  (args) => {
    const { command } = args
    if (typeof command !== 'string') return undefined
    const isPlain = hasExactly(args, { command: 'string' }, harmless)
    return { kind: 'command', command, commandArgument: 'command', isPlain, startsInCwd }
  }

/**
 * Whether a path means what it says. Agents expand `~` and `@`, remove blanks around a path, and
 * replace unusual spaces: then the path in the arguments is not the path that is used.
 */
export const isLiteralPath = (path: unknown): path is string =>
  typeof path === 'string' &&
  path !== '' &&
  path === path.trim() &&
  !/^(?:[~@]|file:)/.test(path) &&
  // After a symbolic link, `..` leads elsewhere than the text says.
  !path.split('/').includes('..') &&
  !unusual.test(path)

/** Spaces that agents replace, and control characters. */
const unusual = /[\p{Cc}\u00A0\u2000-\u200A\u202F\u205F\u3000]/u
