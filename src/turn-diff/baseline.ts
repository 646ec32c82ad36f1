import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { turnDiffReason } from '../api/turn-diff.ts'
import { rootBase } from './roots.ts'

/** What was known when a turn began. */
export const baseline = z.strictObject({
  /** The agent_start that began it. */
  seq: z.number().int(),
  at: z.number().int(),
  cwd: z.string(),
  /** The repositories; none where git could not be used. */
  roots: z.array(rootBase),
  /** The directory that their folders are in, below the session’s own. */
  turn: z.string(),
  reason: turnDiffReason.optional(),
})
export type Baseline = z.infer<typeof baseline>

/** Whole or not at all. */
export const saveBaseline = async (file: string, base: Baseline): Promise<void> => {
  const unfinished = `${file}.new`
  await writeFile(unfinished, JSON.stringify(base), { mode: 0o600 })
  await rename(unfinished, file)
}

/** Undefined where there is none, or one that cannot be read. */
export const loadBaseline = async (file: string): Promise<Baseline | undefined> => {
  try {
    return baseline.safeParse(JSON.parse(await readFile(file, 'utf8'))).data
  } catch (cause) {
    if (cause instanceof SyntaxError || (cause instanceof Error && 'code' in cause))
      return undefined
    throw cause
  }
}
