import { lstat } from 'node:fs/promises'
import { isInside } from '../../files/is-inside.ts'
import { readRegularFile, type UnreadReason } from '../../files/read-regular-file.ts'
import { resolveLinks } from '../../files/real-path.ts'
import type { LoopRecord } from '../../log/types.ts'
import { Fault } from '../../shared/fault.ts'

const maxBytes = 1024 * 1024

/**
 * The prompt of the next iteration. A file is read again each time. The agent can change the file, so a
 * link must not lead out of the directory: the agent would get a file that it cannot read itself.
 * Throws a `file_not_readable` fault.
 */
export const readPrompt = async ({
  prompt,
  promptFile,
  cwd,
}: Pick<LoopRecord, 'prompt' | 'promptFile' | 'cwd'>): Promise<string> => {
  if (promptFile === undefined) return prompt ?? ''
  const real = realFileOf(promptFile, cwd)
  const read = await readRegularFile(real, maxBytes)
  if (typeof read === 'string') throw unreadable(promptFile, reasons[read])
  const now = await lstat(real, { bigint: true }).catch(() => undefined)
  if (now?.ino !== read.stats.ino || realFileOf(promptFile, cwd) !== real)
    throw unreadable(promptFile, 'it was replaced while it was read')
  const text = read.bytes.toString('utf8').trim()
  if (text === '') throw unreadable(promptFile, 'it is empty')
  return text
}

/**
 * The real path of a prompt file. It must be in the directory of the loop, unless the path itself leads
 * elsewhere without links: then a person chose that file.
 */
export const realFileOf = (promptFile: string, cwd: string): string => {
  const real = resolveLinks(promptFile)
  if (real === undefined) throw unreadable(promptFile, reasons.missing)
  if (real === promptFile || isInside(real, resolveLinks(cwd) ?? cwd)) return real
  throw unreadable(promptFile, 'it is a link that leads out of the directory')
}

const reasons: Readonly<Record<UnreadReason, string>> = {
  missing: 'there is no such file',
  not_a_file: 'it is not a file',
  too_large: 'it is larger than 1 MB',
  unreadable: 'access is refused',
}

const unreadable = (path: string, reason: string): Fault =>
  new Fault('file_not_readable', `Cannot read the prompt from ${path}: ${reason}.`)
