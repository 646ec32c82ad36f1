import { readFileSync } from 'node:fs'

const read = (): string => {
  const file = new URL('../../package.json', import.meta.url)
  const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const isPackage = typeof found === 'object' && found !== null && 'version' in found
  return isPackage ? String(found.version) : 'unknown'
}

/** Of the package that this file is part of, built or not. */
export const version = read()
