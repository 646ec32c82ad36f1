import type { Fields } from '../../shared/fields.ts'
import type { FileSource } from '../sources/file-source.ts'

/** What the lines of a session say about where they are copied from. */
export interface CopyNotes {
  /** Notes a line. Returns whether the events that come with it can be those of a marked copy. */
  add(line: Fields): boolean
  /** What copies of the conversation have in common; undefined if it is not known yet. */
  beginning(): string | undefined
  /** The agent’s id of the session that the lines are copied from, if they say it. */
  original(): string | undefined
}

export const createCopyNotes = ({
  beginningOf,
  originalOf,
}: Pick<FileSource, 'beginningOf' | 'originalOf'>): CopyNotes => {
  let beginning: string | undefined
  let original: string | undefined
  /** Whether the last message was a copy that names its original. */
  let isCopying = false
  return {
    add(line) {
      const key = beginningOf?.(line)
      const from = originalOf?.(line)
      beginning ??= key
      original ??= from
      // A message can end with the line after it.
      const isCopy = from !== undefined || isCopying
      if (key !== undefined) isCopying = from !== undefined
      return isCopy
    },
    beginning: () => beginning,
    original: () => original,
  }
}
