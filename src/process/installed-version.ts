import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Fields, fieldsOf, listOf, stringOf } from '../shared/fields.ts'

/**
 * The version of a program without running it: by its files, or else what it printed before in this
 * process, such as a script that starts another program. Undefined if neither is known.
 */
export const installedVersion = (program: string): string | undefined =>
  versionOfFiles(program) ?? printed.get(fileIdentity(program))

/**
 * The version of a program by its files: that of its npm package, or the name of its file, as Claude
 * Code’s own installer makes it. Undefined if the files do not say.
 */
export const versionOfFiles = (program: string): string | undefined => {
  try {
    const file = realpathSync(program)
    return versionIn(basename(file)) ?? packageVersion(file)
  } catch {
    return undefined
  }
}

/** The versions that programs have printed, by the identity of their files. */
const printed = new Map<string, string>()
/** Nobody has so many programs. */
const maxPrinted = 1000

/** Remembers what a program prints as its version; null if it prints none. */
export const rememberVersion = (program: string, version: string | null): void => {
  const identity = fileIdentity(program)
  printed.delete(identity)
  if (version !== null && identity !== '' && printed.size < maxPrinted)
    printed.set(identity, version)
}

/** Changes when the program is replaced or its file changes. Empty if there is none. */
export const fileIdentity = (path: string): string => {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    return [ino, size, mtimeMs, ctimeMs].join(':')
  } catch {
    return ''
  }
}

const versionIn = (name: string): string | undefined => /^\d+\.\d+\.\d+$/.exec(name)?.[0]

/** How far above a program its package may be. */
const maxLevels = 4

const packageVersion = (file: string): string | undefined => {
  let directory = dirname(file)
  for (let level = 0; level < maxLevels; level += 1, directory = dirname(directory)) {
    const found = packageAt(directory)
    if (!found) continue
    const isProgram = programsIn(found).some(
      (path) => resolve(directory, stringOf(path) ?? '') === file,
    )
    return isProgram ? stringOf(found.version) : undefined
  }
  return undefined
}

/** The programs of a package. One with the binary for a platform lists it among its files. */
const programsIn = ({ bin, files }: Fields): readonly unknown[] => {
  if (bin === undefined) return listOf(files)
  return typeof bin === 'string' ? [bin] : Object.values(fieldsOf(bin))
}

const packageAt = (directory: string) => {
  try {
    return fieldsOf(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')))
  } catch {
    return undefined
  }
}
