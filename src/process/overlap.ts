import { realpathSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { Fault } from '../shared/fault.ts'

/**
 * Refuses a directory to work in that contains the data directory, or lies in it: an agent there would
 * have what opens the server among its files. Links are resolved first. Throws an `overlaps_data`
 * fault.
 */
export const refuseOverlap = (cwd: string, data: string | undefined): void => {
  if (data === undefined) return
  const [directory, hidden] = [realOf(cwd), realOf(data)]
  if (isBelow(directory, hidden))
    throw overlaps(`${cwd} is in the data directory of Sluice. Choose a directory outside ${data}.`)
  if (isBelow(hidden, directory))
    throw overlaps(
      `${cwd} contains the data directory of Sluice (${data}). Choose a project directory below it.`,
    )
}

const overlaps = (message: string): Fault => new Fault('overlaps_data', message)

const isBelow = (path: string, above: string): boolean => {
  const inside = relative(above, path)
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
}

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
