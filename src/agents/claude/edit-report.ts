import type { Block } from '../../events/types.ts'
import { fieldsOf, stringOf } from '../../shared/fields.ts'
import { hunkBetween } from '../tool-calls/edit-diff.ts'
import { textOfBlocks } from './wire.ts'

/**
 * The details of an edit where Claude Code reports none (1.0, and inside subagents), read from the
 * text of its result: a new file, or the lines around the edit with their numbers. Undefined if the
 * text does not say for certain what changed.
 */
export const editReport = (name: string, input: unknown, content: readonly Block[]): unknown => {
  if (name !== 'Write' && name !== 'Edit') return undefined
  const text = textOfBlocks(content)
  if (name === 'Write')
    return text.startsWith('File created successfully at: ') ? { originalFile: null } : undefined
  const excerpt = excerptIn(text)
  const { old_string: before, new_string: after, replace_all: isAll } = fieldsOf(input)
  const [from, to] = [stringOf(before), stringOf(after)]
  if (!excerpt || from === undefined || !to || isAll === true) return undefined
  const at = excerpt.text.indexOf(to)
  // Found twice, it does not say which one is new.
  if (at < 0 || at !== excerpt.text.lastIndexOf(to)) return undefined
  const old = excerpt.text.slice(0, at) + from + excerpt.text.slice(at + to.length)
  return { structuredPatch: hunkBetween(old, excerpt.text, excerpt.firstLine) }
}

interface Excerpt {
  firstLine: number
  text: string
}

/** The lines of the file that a result shows, as `cat -n` does. */
const excerptIn = (text: string): Excerpt | undefined => {
  const lines = [...text.matchAll(/^ *(\d+)→(.*)$/gm)]
  const [, first] = lines[0] ?? []
  if (first === undefined) return undefined
  return { firstLine: Number(first), text: lines.map(([, , line = '']) => `${line}\n`).join('') }
}
