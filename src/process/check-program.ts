import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { Fault } from '../shared/fault.ts'
import { reasonOf } from '../shared/reason.ts'
import { findOnPath } from './find-agent.ts'

/**
 * Throws a `Fault` if a program cannot be started: `agent_not_found` or `agent_not_started`. The shell
 * and bubblewrap, which start the program, would only exit with an error.
 */
export const checkProgram = (program: string, env: NodeJS.ProcessEnv): void => {
  if (!isAbsolute(program)) {
    if (findOnPath(program, env) === undefined) throw notFound(program)
    return
  }
  try {
    if (!statSync(program).isFile()) throw new Error('It is not a file.')
    accessSync(program, constants.X_OK)
  } catch (cause) {
    throw notStarted(program, cause)
  }
  const interpreter = interpreterOf(program)
  if (interpreter !== undefined && !existsSync(interpreter)) throw notFound(program)
}

/** The fault of a program that the system did not start. */
export const notStarted = (program: string, cause: unknown): Fault => {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
    return notFound(program, cause)
  const message = `The program ${program} could not be started: ${reasonOf(cause)}`
  return new Fault('agent_not_started', message, { cause })
}

const notFound = (program: string, cause?: Error): Fault =>
  new Fault(
    'agent_not_found',
    `The program ${program}, or the interpreter that it needs, does not exist.`,
    { cause },
  )

/** The longest first line that Linux reads. */
const lineLimit = 256

/** The program in the first line of a script; undefined for other files. */
const interpreterOf = (script: string): string | undefined => {
  const start = Buffer.alloc(lineLimit)
  try {
    const file = openSync(script, 'r')
    try {
      readSync(file, start)
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined // a program may be executable and not readable
  }
  return /^#![ \t]*(\/[^\s\0]*)/.exec(start.toString('latin1'))?.[1]
}
