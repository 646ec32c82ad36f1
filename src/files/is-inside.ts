import { isAbsolute, relative, sep } from 'node:path'

/** Whether a path lies in a directory, or is that directory. Links are not resolved. */
export const isInside = (path: string, directory: string): boolean => {
  const rest = relative(directory, path)
  return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest))
}
