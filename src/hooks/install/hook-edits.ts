import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff'
import { canonicalJson } from '../../shared/canonical-json.ts'
import { defined } from '../../shared/fields.ts'
import { type HookPlace, type HookTarget, hookCommand } from './hook-target.ts'
import type { Insertion } from './json-edits.ts'
import { ownFileEdit, ownFileRemoval, ownFileState } from './own-file.ts'
import { type EditReceipt, type EditReceipts, hashOfText, textBefore } from './receipts.ts'
import {
  deleteSettingsFile,
  makeDirectoryOf,
  readSettingsFile,
  type SettingsFile,
  writeSettingsFile,
} from './settings-file.ts'
import { addHooks, hookProblems, ownGroups, parseSettings, removeHooks } from './settings-text.ts'

/** A change to a settings file, as it can be shown before it is made. */
export interface HookEdit {
  file: SettingsFile
  /** The text after the change; undefined if the file is deleted. */
  after: string | undefined
  /** Whether there is nothing to change. */
  isDone: boolean
  /** What is stored about the change. Absent if nothing of ours stays. */
  receipt?: EditReceipt
}

/** What installing the hooks would change. Throws a `Fault` if the file cannot be edited. */
export const installEdit = (
  target: HookTarget,
  place: HookPlace,
  receipts: EditReceipts,
): HookEdit => {
  const { settings: how } = target.hooks
  if ('source' in how) return ownFileEdit(target, how, place)
  const file = readSettingsFile(target.path, target.within)
  const groups = how.entries(hookCommand(target, place), target.asks)
  if (file.text === undefined) {
    const after = addHooks(how.empty ?? '{}\n', groups).text
    return {
      file,
      after,
      isDone: false,
      receipt: { hash: hashOfText(after), added: [], isNew: true },
    }
  }
  const settings = parseSettings(file.text, file.path)
  if (isEqual(ownGroups(settings), groups)) return { file, after: file.text, isDone: true }
  const stored = receipts.get(file.path)
  const before = textBefore(file.text, stored) ?? removeHooks(file.text)
  parseSettings(before, file.path)
  const { text, insertions } = addHooks(before, groups)
  // A mistake of ours must not reach the file.
  if (!isEqual(ownGroups(parseSettings(text, file.path)), groups))
    throw new Error(`the edit of ${file.path} went wrong`)
  const isNew = stored?.isNew === true && stored.hash === hashOfText(file.text)
  const receipt = { hash: hashOfText(text), added: addedParts(insertions), isNew }
  return { file, after: text, isDone: false, receipt }
}

/** What removing the hooks would change. Throws a `Fault` if the file cannot be edited. */
export const removeEdit = (target: HookTarget, receipts: EditReceipts): HookEdit => {
  if ('source' in target.hooks.settings) return ownFileRemoval(target)
  const file = readSettingsFile(target.path, target.within)
  if (file.text === undefined) return { file, after: undefined, isDone: true }
  const settings = parseSettings(file.text, file.path)
  if (Object.keys(ownGroups(settings)).length === 0) return { file, after: file.text, isDone: true }
  const stored = receipts.get(file.path)
  if (stored?.isNew && stored.hash === hashOfText(file.text))
    return { file, after: undefined, isDone: false }
  const after = textBefore(file.text, stored) ?? removeHooks(file.text)
  if (Object.keys(ownGroups(parseSettings(after, file.path))).length > 0)
    throw new Error(`the edit of ${file.path} went wrong`)
  return { file, after, isDone: false }
}

const isEqual = (left: unknown, right: unknown): boolean =>
  canonicalJson(left, 50) === canonicalJson(right, 50)

/** Where insertions are in the text after them. */
const addedParts = (insertions: readonly Insertion[]): EditReceipt['added'] => {
  let shift = 0
  return insertions
    .toSorted((left, right) => left.at - right.at)
    .map(({ at, text }) => {
      const start = at + shift
      shift += text.length
      return { start, end: start + text.length }
    })
}

/** Makes a change. Throws a `Fault` if the file has changed since, or cannot be written. */
export const applyEdit = (edit: HookEdit, receipts: EditReceipts): void => {
  const { file, after, receipt } = edit
  if (edit.isDone) return
  const { directory } = receipts.get(file.path) ?? {}
  if (after === undefined) deleteSettingsFile(file, directory)
  const made = after === undefined ? undefined : makeDirectoryOf(file)
  if (after !== undefined) writeSettingsFile(file, after)
  if (receipt) receipts.put(file.path, { ...receipt, ...defined({ directory: made ?? directory }) })
  else receipts.remove(file.path)
}

/** A change as a diff. */
export const hookEditDiff = ({ file: { path, text }, after }: HookEdit): string => {
  const oldFileName = text === undefined ? '/dev/null' : path
  const newFileName = after === undefined ? '/dev/null' : path
  const names = { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined }
  const { hunks } = structuredPatch('', '', text ?? '', after ?? '')
  return formatPatch({ ...names, hunks }, FILE_HEADERS_ONLY)
}

/** What a settings file has of our hooks. */
export interface HookStatus {
  target: HookTarget
  /**
   * `asking`: installed, and they ask where they would only report by default. `outdated`: the hooks are
   * there, but not as this version installs them.
   */
  state: 'none' | 'installed' | 'asking' | 'outdated' | 'unreadable'
  /** Why they may not work, for people. */
  problems: string[]
}

export const hookStatus = (target: HookTarget, place: HookPlace): HookStatus => {
  try {
    return { target, ...statusOf(target, place) }
  } catch (cause) {
    return { target, state: 'unreadable', problems: [messageOf(cause)] }
  }
}

const statusOf = (target: HookTarget, place: HookPlace): Omit<HookStatus, 'target'> => {
  const { settings: how } = target.hooks
  if ('source' in how) return { state: ownFileState(target, how, place), problems: [] }
  const { text, path } = readSettingsFile(target.path, target.within)
  if (text === undefined) return { state: 'none', problems: [] }
  const settings = parseSettings(text, path)
  const own = ownGroups(settings)
  if (Object.keys(own).length === 0) return { state: 'none', problems: [] }
  const isAs = (asks: boolean) => isEqual(own, how.entries(hookCommand(target, place), asks))
  const problems = hookProblems(settings, how)
  // Hooks that ask are only different where the agent leaves the choice.
  if (isAs(false)) return { state: 'installed', problems }
  return { state: isAs(true) ? 'asking' : 'outdated', problems }
}

const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
