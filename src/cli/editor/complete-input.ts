import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { EditBuffer } from './edit-buffer.ts'

/** What Tab offers for the word before the cursor. */
export interface InputCompletion {
  /** Where the word begins in the text. */
  from: number
  /** What can stand in its place. */
  choices: readonly string[]
}

export interface CompletionSources {
  /** The directory that `@path` is relative to; undefined when it is on another machine. */
  directory: string | undefined
  /** What can be called by name now: commands such as `/rules`, and subagents such as `@agent-a`. */
  mentions(): readonly string[]
}

/** Finds files and subagents for `@name`, and commands for a line that begins with a slash. */
export const completeInput = async (
  { text, cursor }: EditBuffer,
  { directory, mentions }: CompletionSources,
): Promise<InputCompletion | undefined> => {
  const before = text.slice(0, cursor)
  if (/^\/[^\n]*$/.test(before)) {
    return { from: 0, choices: begunWith(mentions(), before) }
  }
  const word = /(?<![^\s(])@(?:"([^"\n]*)|([^\s"]*))$/.exec(before)
  if (!word) return undefined
  const typed = word[1] ?? word[2] ?? ''
  const paths = directory === undefined ? [] : await pathsFrom(typed, directory)
  const choices = [...begunWith(mentions(), word[0]), ...paths.map(quotedPath)]
  return { from: word.index, choices }
}

/** The mentions that begin as it was typed; if none does, those that differ only in case. */
const begunWith = (mentions: readonly string[], typed: string): string[] => {
  const exact = mentions.filter((each) => each.startsWith(typed))
  return exact.length > 0 ? exact : mentions.filter((each) => isBegun(each, typed))
}

/** A path with blanks is quoted, so that the agent sees where it ends. */
const quotedPath = (path: string): string => {
  if (!/\s/.test(path)) return `@${path}`
  return path.endsWith('/') ? `@"${path}` : `@"${path}"`
}

/** How many names of a directory are looked at. */
const maxNames = 10_000

/** The paths that a typed path can go on to; directories end with a slash. */
const pathsFrom = async (typed: string, cwd: string): Promise<string[]> => {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1)
  const begun = typed.slice(folder.length)
  const names = await namesIn(directoryOf(folder, cwd), begun.startsWith('.'))
  const exact = names.filter((name) => name.startsWith(begun))
  const found = exact.length > 0 ? exact : names.filter((name) => isBegun(name, begun))
  return found.map((name) => folder + name)
}

const isBegun = (name: string, begun: string): boolean =>
  name.toLowerCase().startsWith(begun.toLowerCase())

const directoryOf = (folder: string, cwd: string): string =>
  folder.startsWith('~/') ? resolve(homedir(), folder.slice(2)) : resolve(cwd, folder)

const namesIn = async (directory: string, withHidden: boolean): Promise<string[]> => {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries
      .slice(0, maxNames)
      .filter(({ name }) => isPrintable.test(name) && (withHidden || !name.startsWith('.')))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort()
  } catch {
    return [] // it is no directory, or not ours to read
  }
}

/** A name with other characters could control the screen, or break the message. */
const isPrintable = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"]+$/u

/** The longest text that all choices begin with. */
export const commonStart = (choices: readonly string[]): string => {
  const [first = '', ...rest] = choices
  let length = first.length
  for (const each of rest) while (!each.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}
