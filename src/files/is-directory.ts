import { statSync } from 'node:fs'

/** Whether there is a directory at a path, also behind a link. */
export const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
