/** A path relative to a directory; unchanged if it is elsewhere. */
export const relativePath = (path: string, directory: string | undefined): string => {
  if (directory === undefined || directory === '') return path
  const base = directory.endsWith('/') ? directory : `${directory}/`
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path
}
