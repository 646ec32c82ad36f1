import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { defaultData } from '../../src/process/default-data.ts'
import { openSandbox } from '../../src/process/sandbox.ts'

/** Where bubblewrap is unpacked when it is not installed. */
const cache = join(tmpdir(), `sluice-bubblewrap-${process.getuid?.() ?? 0}`)

/**
 * Finds bubblewrap: on PATH, or as a Debian package that is only unpacked, which needs no root. `path`
 * is a PATH that has it; `reason` says why there is none.
 */
export const findBubblewrap = async (): Promise<{ path: string; reason?: string }> => {
  const path = [process.env.PATH ?? '', join(cache, 'usr/bin')].join(delimiter)
  if (!(await works(path))) unpack()
  const { info } = await openSandbox({ hidden: [defaultData()], env: { PATH: path } })
  return { path, ...(info.reason !== undefined && { reason: info.reason }) }
}

const works = async (path: string): Promise<boolean> =>
  (await openSandbox({ hidden: [], env: { PATH: path } })).wrap !== undefined

const unpack = (): void => {
  if (process.platform !== 'linux' || existsSync(join(cache, 'usr/bin/bwrap'))) return
  try {
    mkdirSync(cache, { recursive: true })
    const options = { cwd: cache, stdio: 'ignore', timeout: 60_000 } as const
    execFileSync('apt-get', ['download', 'bubblewrap'], options)
    const [file = ''] = globSync('bubblewrap_*.deb', { cwd: cache })
    execFileSync('dpkg-deb', ['-x', file, '.'], options)
  } catch {
    // The reason that `openSandbox` gives is printed.
  }
}
