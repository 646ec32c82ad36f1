import { dirname, join } from 'node:path'
import type { HookFile } from '../../agents/hooks.ts'
import { Fault } from '../../shared/fault.ts'
import type { HookEdit } from './hook-edits.ts'
import type { HookPlace, HookTarget } from './hook-target.ts'
import { hashOfText } from './receipts.ts'
import { readSettingsFile } from './settings-file.ts'

/** The first line of each file that is ours as a whole. */
const markOf = ({ agent }: HookTarget): string =>
  `// Written by \`sluice hooks install ${agent}\`. Removed by \`sluice hooks remove ${agent}\`.\n`

const sourceOf = (target: HookTarget, settings: HookFile, place: HookPlace): string => {
  const module = join(dirname(place.program), settings.module)
  return markOf(target) + settings.source(module, place.data)
}

/** What installing would change in a file that is ours as a whole. Throws a `Fault` if it is not ours. */
export const ownFileEdit = (target: HookTarget, settings: HookFile, place: HookPlace): HookEdit => {
  const file = readSettingsFile(target.path)
  const after = sourceOf(target, settings, place)
  if (file.text !== undefined && !file.text.startsWith(markOf(target)))
    throw new Fault(
      'file_not_readable',
      `${target.path} stays as it is: Sluice did not write it. Give it another name, and try again.`,
    )
  const receipt = { hash: hashOfText(after), added: [], isNew: true }
  return { file, after, isDone: file.text === after, receipt }
}

/** What removing would change: the file goes as a whole, if it is ours. */
export const ownFileRemoval = (target: HookTarget): HookEdit => {
  const file = readSettingsFile(target.path)
  const isDone = file.text?.startsWith(markOf(target)) !== true
  return { file, after: isDone ? file.text : undefined, isDone }
}

/** Whether the file is there, and as this version writes it. */
export const ownFileState = (
  target: HookTarget,
  settings: HookFile,
  place: HookPlace,
): 'none' | 'installed' | 'outdated' => {
  const { text } = readSettingsFile(target.path)
  if (text?.startsWith(markOf(target)) !== true) return 'none'
  return text === sourceOf(target, settings, place) ? 'installed' : 'outdated'
}
