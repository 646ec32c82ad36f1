import { fieldsOf, listOf, stringIn, stringsOf } from '../../shared/fields.ts'
import { applyUnified } from '../tool-calls/apply-unified.ts'
import { contentAfter } from '../tool-calls/edit-diff.ts'
import { fileEditOf, pathIn } from '../tool-calls/file-edit.ts'
import { diffsIn, locationsIn } from './wire.ts'

/** A write that the agent requests. */
export interface RequestedWrite {
  path: string
  before: string | null | undefined
  content: string
}

/**
 * Whether the arguments that a person saw and allowed are those of a write: of the same file, and with
 * the content that they saw. An edit that shows no content allows nothing.
 */
export const showsWrite = (shown: unknown, write: RequestedWrite, cwd: string): boolean => {
  const { path, content } = write
  const isThis = (named: string) => absolute(named, cwd) === path
  const diffs = listOf(fieldsOf(shown).diffs).map(fieldsOf)
  const named = [stringIn(shown, 'filepath') ?? pathIn(shown) ?? []].flat()
  const ofDiffs = diffsIn(diffs.map((diff) => ({ ...diff, type: 'diff' })))
  if (![...named, ...ofDiffs.map((diff) => diff.path)].some(isThis)) return false
  const before = write.before ?? ''
  const replacements = ofDiffs
    .filter((diff) => isThis(diff.path))
    .map(({ oldText, newText }) => ({ from: oldText ?? '', to: newText, isAll: false }))
  if (replacements.some(({ from, to }) => from === before && to === content)) return true
  const edit = fileEditOf(shown)
  if (edit.content !== undefined) return edit.content === content
  // A file that cannot be compared may hold anything.
  if (write.before === undefined) return false
  const all = replacements.length > 0 ? replacements : edit.replacements
  if (all.length > 0) return contentAfter(before, all) === content
  const { requestedPatch } = edit
  return requestedPatch !== undefined && applyUnified(before, requestedPatch) === content
}

/** A command that the agent requests. */
export interface RequestedCommand {
  command: string
  /** Absent: the directory of the session. */
  cwd?: string | undefined
  env?: Readonly<Record<string, string>> | undefined
}

/** Whether the arguments that a person saw and allowed are those of a command. */
export const showsCommand = (shown: unknown, { command, cwd, env }: RequestedCommand): boolean => {
  if (env !== undefined) return false
  if (stringIn(shown, 'cwd', 'directory', 'workdir') !== cwd) return false
  const words = stringsOf(fieldsOf(shown).command)
  const text =
    stringIn(shown, 'command', 'cmd') ?? (words.length > 0 ? commandLine(words) : undefined)
  return (text ?? stringIn(shown, 'title'))?.trim() === command.trim()
}

/** A program with its arguments as a line for a shell. */
export const commandLine = (words: readonly string[]): string => words.map(quoted).join(' ')

const quoted = (word: string): string =>
  /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Whether a call of the agent is about a file. */
export const namesPath = (call: object, path: string, cwd: string): boolean => {
  const { locations, content, rawInput } = fieldsOf(call)
  const named = [stringIn(rawInput, 'filepath') ?? pathIn(rawInput) ?? []].flat()
  const ofDiffs = diffsIn(content).map((diff) => diff.path)
  return [...locationsIn(locations), ...ofDiffs, ...named].some(
    (each) => absolute(each, cwd) === path,
  )
}

const absolute = (path: string, cwd: string): string =>
  path.startsWith('/') ? path : `${cwd.replace(/\/$/, '')}/${path.replace(/^\.\//, '')}`
