import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchOptions } from '../part.ts'

/** Programs in C, so that the load costs less than what it measures. */
export interface Programs {
  /** Reads streams. */
  load: string
  /** Writes streams, and does nothing else: the lower bound. */
  floor: string
}

const compiled = new Map<string, Programs | string>()

/** Compiles the programs, once in a run. Returns the reason when that fails. */
export const compilePrograms = ({ directory }: BenchOptions): Programs | string => {
  const cached = compiled.get(directory)
  if (cached !== undefined) return cached
  const problem = compile('load', directory) ?? compile('floor', directory)
  const result = problem ?? { load: join(directory, 'load'), floor: join(directory, 'floor') }
  compiled.set(directory, result)
  return result
}

/** Returns the reason when it fails. */
const compile = (name: string, directory: string): string | undefined => {
  const source = fileURLToPath(new URL(`${name}.c`, import.meta.url))
  const args = ['-O2', '-Wall', '-o', join(directory, name), source]
  const { status, error } = spawnSync('gcc', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (error) return 'gcc is not installed'
  return status === 0 ? undefined : `${name}.c could not be compiled`
}
