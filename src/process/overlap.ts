import { isInside } from '../files/is-inside.ts'
import { resolveLinks } from '../files/real-path.ts'
import { Fault } from '../shared/fault.ts'

/**
 * Refuses a directory to work in that contains the data directory, or lies in it: an agent there would
 * have what opens the server among its files. Links are resolved first. Throws an `overlaps_data`
 * fault.
 */
export const refuseOverlap = (cwd: string, data: string | undefined): void => {
  if (data === undefined) return
  const [directory, hidden] = [realOf(cwd), realOf(data)]
  if (isInside(directory, hidden))
    throw overlaps(`${cwd} is in the data directory of Sluice. Choose a directory outside ${data}.`)
  if (isInside(hidden, directory))
    throw overlaps(
      `${cwd} contains the data directory of Sluice (${data}). Choose a project directory below it.`,
    )
}

const overlaps = (message: string): Fault => new Fault('overlaps_data', message)

const realOf = (path: string): string => resolveLinks(path) ?? path
