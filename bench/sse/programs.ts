import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Setting } from '../setting.ts'

/** The programs that are written in C, so that the load does not weigh more than what it measures. */
export interface Programs {
  /** Reads streams. */
  load: string
  /** Writes them, and does nothing else. */
  floor: string
}

const compiled = new Map<string, Programs | string>()

/** Compiles them, once in a run; a text says why it could not be done. */
export const compilePrograms = ({ directory }: Setting): Programs | string => {
  const known = compiled.get(directory)
  if (known !== undefined) return known
  const made = compile('load', directory) ?? compile('floor', directory)
  const found = made ?? { load: join(directory, 'load'), floor: join(directory, 'floor') }
  compiled.set(directory, found)
  return found
}

/** What went wrong, if anything. */
const compile = (name: string, directory: string): string | undefined => {
  const source = fileURLToPath(new URL(`${name}.c`, import.meta.url))
  const args = ['-O2', '-Wall', '-o', join(directory, name), source]
  const { status, error } = spawnSync('gcc', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (error) return 'gcc is not installed'
  return status === 0 ? undefined : `${name}.c could not be compiled`
}
