/** Whether a pattern for files can be read: a path, or a directory and `/**`. */
export const isPathPattern = (pattern: string): boolean =>
  !pattern.replace(/(^|\/)\*\*$/, '').includes('*')

/** Whether a pattern names one path, not everything below a directory. */
export const isExactPath = (pattern: string): boolean => !pattern.endsWith('**')

/** Whether a pattern covers an absolute path. Relative patterns begin at the directory `base`. */
export const coversPath = (pattern: string, path: string, base: string): boolean => {
  if (!isPathPattern(pattern)) return false
  if (isExactPath(pattern)) return resolvedPath(base, pattern) === path
  return isBelow(path, resolvedPath(base, pattern.slice(0, -2)))
}

/** Whether an absolute path lies in a directory, or is that directory. */
export const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`)

/** A path without `.` and `..`, from a directory on. Links are not followed. */
const resolvedPath = (base: string, path: string): string => {
  const parts: string[] = []
  for (const part of `${path.startsWith('/') ? '' : base}/${path}`.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
