import { delimiter } from 'node:path'
import { defaultData } from '../../src/process/default-data.ts'
import { openSandbox } from '../../src/process/sandbox.ts'
import { bubblewrap, unpackedDirectory, unpackProgram } from './debian-program.ts'

/**
 * Finds bubblewrap: on PATH, or as a Debian package that is only unpacked. `path` is a PATH that has
 * it; `reason` says why there is none.
 */
export const findBubblewrap = async (): Promise<{ path: string; reason?: string }> => {
  const path = [process.env.PATH ?? '', unpackedDirectory(bubblewrap)].join(delimiter)
  if (!(await works(path))) unpackProgram(bubblewrap)
  const { info } = await openSandbox({ hidden: [defaultData()], env: { PATH: path } })
  return { path, ...(info.reason !== undefined && { reason: info.reason }) }
}

const works = async (path: string): Promise<boolean> =>
  (await openSandbox({ hidden: [], env: { PATH: path } })).wrap !== undefined
