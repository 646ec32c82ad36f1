import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** A program of a Debian package. */
export interface DebianProgram {
  name: string
  package: string
  /** The directory in the package. */
  directory: string
}

export const bubblewrap: DebianProgram = {
  name: 'bwrap',
  package: 'bubblewrap',
  directory: 'usr/bin',
}
export const natsServer: DebianProgram = {
  name: 'nats-server',
  package: 'nats-server',
  directory: 'usr/sbin',
}

const cacheOf = ({ package: name }: DebianProgram): string =>
  join(tmpdir(), `sluice-${name}-${process.getuid?.() ?? 0}`)

/** Where the program is after `unpackProgram`. */
export const unpackedDirectory = (program: DebianProgram): string =>
  join(cacheOf(program), program.directory)

/** The path of the program, on PATH or unpacked; undefined when it is not there. */
export const findProgram = (program: DebianProgram): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', unpackedDirectory(program)]
    .map((directory) => join(directory, program.name))
    .find((path) => existsSync(path))

/**
 * Downloads the package and unpacks it beside the system, which needs no root. Only the lists of
 * packages, where a machine has none yet, need it.
 */
export const unpackProgram = (program: DebianProgram): void => {
  const cache = cacheOf(program)
  if (process.platform !== 'linux' || existsSync(join(unpackedDirectory(program), program.name)))
    return
  mkdirSync(tmpdir(), { recursive: true })
  const cwd = mkdtempSync(`${cache}-`)
  const options = { cwd, stdio: 'ignore', timeout: 60_000 } as const
  const download = () => execFileSync('apt-get', ['download', program.package], options)
  try {
    try {
      download()
    } catch {
      execFileSync('apt-get', ['update'], options)
      download()
    }
    const [file = ''] = globSync('*.deb', { cwd })
    execFileSync('dpkg-deb', ['-x', file, 'unpacked'], options)
    // At once, so that another process never finds half of it.
    renameSync(join(cwd, 'unpacked'), cache)
  } catch {
    // The tests that need it print why they are skipped.
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
