import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fieldsOf, stringOf } from '../shared/fields.ts'

/**
 * The version of a program by its files, without running it: that of its npm package, or the name of
 * its file, as Claude Code’s own installer makes it. Undefined if the files do not say.
 */
export const installedVersion = (program: string): string | undefined => {
  try {
    const file = realpathSync(program)
    return versionIn(basename(file)) ?? packageVersion(file)
  } catch {
    return undefined
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
    const programs =
      typeof found.bin === 'string' ? [found.bin] : Object.values(fieldsOf(found.bin))
    const isProgram = programs.some((path) => resolve(directory, stringOf(path) ?? '') === file)
    return isProgram ? stringOf(found.version) : undefined
  }
  return undefined
}

const packageAt = (directory: string) => {
  try {
    return fieldsOf(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')))
  } catch {
    return undefined
  }
}
