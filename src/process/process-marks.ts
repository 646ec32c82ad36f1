import { spawnSync } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import { statSync } from 'node:fs'
import { lowestMark, markIn } from './proc.ts'
import { hasProc } from './process-table.ts'

/** The numbers of one key: enough that no two agents of a server that run at once share one. */
const marksPerKey = 2 ** 22
/** Keys have 30 bits with the first one set: no mark is a limit that anybody else would set. */
const lowestKey = lowestMark / marksPerKey

/**
 * The key of a data directory. A copy of the directory has another one, so that the server of a copy
 * leaves the agents of the original alone.
 */
export const markKeyOf = (directory: string): number => {
  const { dev, ino } = statSync(directory)
  const hash = createHash('sha256').update(`${directory}\0${dev}\0${ino}`).digest()
  return lowestKey + (hash.readUInt32BE() % lowestKey)
}

/** A key where there is no data directory: no later server finds its marks. */
export const newMarkKey = (): number => randomInt(lowestKey, 2 * lowestKey)

const ownKey = newMarkKey()
let last = randomInt(marksPerKey)

/** A new mark: a number for one process of an agent, which everything that it starts inherits. */
export const newMark = (key = ownKey): number => {
  last = (last + 1) % marksPerKey
  return key * marksPerKey + last
}

/** The key that a mark was made with. */
export const keyOfMark = (mark: number): number => Math.floor(mark / marksPerKey)

/** A program with its arguments. */
interface ProgramCall {
  program: string
  args: readonly string[]
}

/** Sets the limit, which dash calls `-w` and bash `-x`, and becomes the program. */
const script = 'ulimit -S -w "$0" 2>/dev/null || ulimit -S -x "$0" 2>/dev/null || :; exec "$@"'
const shell = '/bin/sh'

/**
 * The call that runs a program with a mark. On Linux, the mark is the limit of file locks. The kernel
 * has ignored this limit since 2.4.25, but every child inherits it: in any session, with any
 * environment, and after its parent has ended. Elsewhere the call is returned as it is.
 */
export const markedCall = (call: ProgramCall, mark: number): ProgramCall =>
  canMark() ? { program: shell, args: ['-c', script, `${mark}`, call.program, ...call.args] } : call

let hasEffect: boolean | undefined

/** Whether processes can be marked by a limit here. Elsewhere only their environment has the mark. */
export const canMark = (): boolean => {
  hasEffect ??= hasProc && tryMark()
  return hasEffect
}

const tryMark = (): boolean => {
  const mark = newMark()
  const args = ['-c', script, `${mark}`, 'cat', '/proc/self/limits']
  const { stdout } = spawnSync(shell, args, { encoding: 'latin1', timeout: 5000 })
  return markIn(stdout ?? '') === mark
}
