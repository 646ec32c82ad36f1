import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Where a path leads after symbolic links; undefined if it does not exist. */
export const resolveLinks = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** Where a file would be written: its directories may not exist yet. Undefined for a broken link. */
export const realTargetOf = (path: string): string | undefined => {
  const real = resolveLinks(path)
  if (real !== undefined) return real
  const parent = dirname(path)
  if (parent === path || isLink(path)) return undefined
  const realParent = realTargetOf(parent)
  return realParent === undefined ? undefined : join(realParent, basename(path))
}

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false // it does not exist, or a file is in place of its directory
  }
}
