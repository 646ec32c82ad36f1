import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivate, writePrivate } from '../auth/private-file.ts'

export interface ServerFile {
  /** Where it can be reached from this machine. */
  url: string
  pid: number
}

const fileIn = (directory: string) => join(directory, 'server.json')

/** Says that a server runs on this data directory, and where. Gives back how to take it away. */
export const writeServerFile = (directory: string, about: ServerFile): (() => void) => {
  writePrivate(fileIn(directory), `${JSON.stringify(about)}\n`)
  return () => rmSync(fileIn(directory), { force: true })
}

/** What the last server said: true only while the directory is locked. */
export const readServerFile = (directory: string): ServerFile | undefined => {
  const text = readPrivate(fileIn(directory))?.toString('utf8')
  if (text === undefined) return undefined
  try {
    return serverIn(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Two fields: for them a schema would take longer to load than all else that a start needs. */
const serverIn = (found: unknown): ServerFile | undefined => {
  if (typeof found !== 'object' || found === null) return undefined
  const { url, pid }: { url?: unknown; pid?: unknown } = found
  const isWeb = typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)
  const isProcess = typeof pid === 'number' && Number.isInteger(pid) && pid > 0
  return isWeb && isProcess ? { url, pid } : undefined
}
