import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (): string => {
  const file = join(import.meta.dirname, '..', '..', 'package.json')
  const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const isPackage = typeof found === 'object' && found !== null && 'version' in found
  return isPackage ? String(found.version) : 'unknown'
}

/** The version of Sluice, from the package that this file is part of. */
export const version = read()
