import { parsePatch, type StructuredPatchHunk } from 'diff'
import { z } from 'zod'
import { readNumberedDiff } from './numbered-diff.ts'
import type { ToolCall } from './tool-calls.ts'

/** What one call did to one file, as far as it is told. */
export interface Edit {
  path: string
  /** The file before; null where there was none. */
  before?: string | null | undefined
  /** The file afterwards. */
  content?: string | undefined
  replacements?: readonly Replacement[]
  hunks?: readonly StructuredPatchHunk[] | undefined
  /** Some of it was too large and is lost. */
  isCut: boolean
}

export interface Replacement {
  from: string
  to: string
  isAll?: boolean | undefined
}

const path = z.union([
  z.looseObject({ path: z.string() }).transform((input) => input.path),
  z.looseObject({ file_path: z.string() }).transform((input) => input.file_path),
  z.looseObject({ notebook_path: z.string() }).transform((input) => input.notebook_path),
])

/** One replacement: Pi’s, or Claude Code’s. */
const replacement = z.union([
  z
    .looseObject({ oldText: z.string(), newText: z.string() })
    .transform(({ oldText, newText }): Replacement => ({ from: oldText, to: newText })),
  z
    .looseObject({
      old_string: z.string(),
      new_string: z.string(),
      replace_all: z.boolean().optional(),
    })
    .transform(
      ({ old_string, new_string, replace_all }): Replacement => ({
        from: old_string,
        to: new_string,
        isAll: replace_all,
      }),
    ),
])

/** A list of them, or the only one beside the path. */
const replacements = z.union([
  z.looseObject({ edits: z.array(replacement) }).transform(({ edits }) => edits),
  replacement.transform((only) => [only]),
])

const content = z.looseObject({ content: z.string() })

const hunk = z
  .object({
    oldStart: z.number(),
    oldLines: z.number(),
    newStart: z.number(),
    newLines: z.number(),
    lines: z.array(z.string()),
  })
  .strip()

/** What a tool may tell of what it did; each agent has its own names. */
const told = z.looseObject({
  originalFile: z.string().nullish(),
  originalFileContents: z.string().nullish(),
  original_file: z.string().nullish(),
  updated_file: z.string().optional(),
  structuredPatch: z.array(hunk).optional(),
  patch: z.string().optional(),
  diff: z.string().optional(),
})
type Told = z.infer<typeof told>

/** The tools that edit files, by their names in small letters. */
const editing = new Set(['edit', 'multiedit', 'write', 'notebookedit'])

/** What a call did to a file; undefined if it is not known to do anything to one. */
export const editOf = (call: ToolCall): Edit | undefined => {
  const at = path.safeParse(call.input).data
  const said = told.safeParse(call.details).data ?? {}
  const hunks = hunksOf(said)
  if (at === undefined || (!editing.has(call.toolName.toLowerCase()) && !hunks)) return undefined
  return {
    path: at,
    before: said.originalFile ?? said.originalFileContents ?? said.original_file ?? noneOf(said),
    content: said.updated_file ?? content.safeParse(call.input).data?.content,
    replacements: replacements.safeParse(call.input).data ?? [],
    hunks,
    isCut: call.isCut,
  }
}

/** Null is said; what is not said is undefined. */
const noneOf = ({ originalFile }: Told): null | undefined =>
  originalFile === null ? null : undefined

const hunksOf = ({ structuredPatch, patch, diff }: Told): StructuredPatchHunk[] | undefined => {
  if (structuredPatch && structuredPatch.length > 0) return structuredPatch
  const unified = parsed(patch) ?? parsed(diff)
  if (unified) return unified
  const read = diff === undefined ? [] : readNumberedDiff(diff)
  return read.length > 0 ? read : undefined
}

/** The hunks of a unified diff; undefined where the text is none. */
const parsed = (text: string | undefined): StructuredPatchHunk[] | undefined => {
  if (text === undefined || !/^(---|@@|diff |Index: )/.test(text)) return undefined
  try {
    const hunks = parsePatch(text).flatMap((each) => each.hunks)
    return hunks.length > 0 ? hunks : undefined
  } catch (cause) {
    if (cause instanceof Error) return undefined
    throw cause
  }
}
