import {
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  stringIn,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'
import { applyUnified } from '../tool-calls/apply-unified.ts'
import { contentAfter } from '../tool-calls/edit-diff.ts'
import { fileEditOf, pathIn } from '../tool-calls/file-edit.ts'
import { callInput } from './tool-result.ts'
import { type ContentDiff, diffsIn, locationsIn } from './wire.ts'

/** A write that the agent requests. */
export interface RequestedWrite {
  path: string
  before: string | null | undefined
  content: string
}

/**
 * Whether the arguments that a person saw and allowed are those of a write: of the same file, and with
 * the content that they saw. An edit that shows no content allows nothing, and neither does one that
 * names a file without saying what happens to it: nobody knows which file the content is for.
 */
export const showsWrite = (shown: unknown, write: RequestedWrite, cwd: string): boolean => {
  const { path } = write
  const isThis = (named: string) => absolute(named, cwd) === path
  const named = pathsNamedIn(shown)
  const diffs = shownDiffs(shown)
  if (diffs.length === 0) return named.length > 0 && named.every(isThis) && showsEdit(shown, write)
  const isOfDiff = (one: string) =>
    diffs.some((diff) => absolute(diff.path, cwd) === absolute(one, cwd))
  const ofThis = diffs.filter((diff) => isThis(diff.path))
  return ofThis.length > 0 && named.every(isOfDiff) && showsDiffs(ofThis, write)
}

const showsDiffs = (diffs: readonly ContentDiff[], { before, content }: RequestedWrite) => {
  const replacements = diffs.map(({ oldText, newText }) => ({
    ...{ from: oldText ?? '', to: newText, isAll: false },
  }))
  if (replacements.some(({ from, to }) => from === (before ?? '') && to === content)) return true
  // A file that cannot be compared may hold anything.
  return before !== undefined && contentAfter(before ?? '', replacements) === content
}

const showsEdit = (shown: unknown, { before, content }: RequestedWrite): boolean => {
  const edit = fileEditOf(shown)
  if (edit.content !== undefined) return edit.content === content
  if (before === undefined) return false
  const { replacements, requestedPatch } = edit
  if (replacements.length > 0) return contentAfter(before ?? '', replacements) === content
  return requestedPatch !== undefined && applyUnified(before ?? '', requestedPatch) === content
}

const shownDiffs = (shown: unknown): ContentDiff[] =>
  diffsIn(listOf(fieldsOf(shown).diffs).map((diff) => ({ ...fieldsOf(diff), type: 'diff' })))

const pathKeys = ['filepath', 'path', 'file_path', 'filePath', 'notebook_path', 'fileName']

/** Every path in the arguments of an edit, except for those of its diffs. */
const pathsNamedIn = (shown: unknown): string[] => {
  const fields = fieldsOf(shown)
  const listed = [...listOf(fields.changes), ...listOf(fields.edits)].map(fieldsOf)
  return [
    ...[fields, ...listed].flatMap((each) => pathKeys.flatMap((key) => stringOf(each[key]) ?? [])),
    ...stringsOf(fields.paths),
    ...pathsInPatch(stringIn(shown, 'patch', 'input', 'diff')),
  ]
}

/** The paths in the head of a unified diff. */
const pathsInPatch = (patch = ''): string[] =>
  [...patch.replace(/^@@ .*/ms, '').matchAll(/^(?:---|\+\+\+|Index:) ([^\t\n]+)/gm)]
    .map(([, path = '']) => path.trimEnd())
    .filter((path) => path !== '/dev/null')

/**
 * What a person is shown of a call that requests a permission. Where the content or the locations of
 * the call name another file than its arguments, the person sees these as well.
 */
export const shownInput = (fields: Fields): unknown => {
  const input = callInput(fields)
  const own = [stringIn(input, 'filepath') ?? pathIn(input) ?? []].flat()
  const { diffs, paths } = fieldsOf(callInput({ ...fields, rawInput: undefined }))
  const others = [...diffsIn(fields.content).map(({ path }) => path), ...stringsOf(paths)]
  const isOwn = (path: string) => own.some((each) => each === path || endsWith(path, each))
  if (!isFields(input) || own.length === 0 || others.every(isOwn)) return input
  return { ...input, ...defined({ paths, diffs }) }
}

const endsWith = (path: string, relative: string): boolean =>
  !relative.startsWith('/') && path.endsWith(`/${relative.replace(/^\.\//, '')}`)

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
