import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { FileDiff } from '../api/types.ts'
import { editOf } from './edit-of.ts'
import { createEditedFile, type EditedFile } from './edited-file.ts'
import type { TurnDiffLimits } from './limits.ts'
import type { ToolCall } from './tool-calls.ts'

/** What the tools of a turn say that they changed. What a shell changed is not among it. */
export const readToolEdits = async (
  calls: AsyncIterable<ToolCall>,
  cwd: string,
  limits: TurnDiffLimits,
): Promise<FileDiff[]> => {
  const files = new Map<string, EditedFile>()
  for await (const call of calls) {
    const edit = editOf(call)
    if (!edit) continue
    const path = toldPath(cwd, edit.path)
    const file = files.get(path) ?? createEditedFile()
    files.set(path, file)
    file.push(edit)
  }
  return [...files].flatMap(([path, file]) => file.diff(path, limits) ?? [])
}

/** Relative to the project directory; whole where it lies outside. */
const toldPath = (cwd: string, path: string): string => {
  const whole = resolve(cwd, path)
  const way = relative(cwd, whole)
  const isOutside = way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
  return (isOutside ? whole : way).split(sep).join('/')
}
