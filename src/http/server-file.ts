import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivate, writePrivate } from '../files/private-file.ts'

/** How programs on this machine find the server of a data directory. */
export interface ServerFile {
  /** The URL on this machine. */
  url: string
  pid: number
  /** The path of the control socket, if it does not lie in the data directory. */
  control?: string
  /** The name of the node, if the server stores everything in a cluster. */
  node?: string
}

const fileIn = (directory: string) => join(directory, 'server.json')

/** Writes the file and returns a function that deletes it. */
export const writeServerFile = (directory: string, server: ServerFile): (() => void) => {
  writePrivate(fileIn(directory), `${JSON.stringify(server)}\n`)
  return () => rmSync(fileIn(directory), { force: true })
}

/** What the last server wrote. It is current only while the data directory is locked. */
export const readServerFile = (directory: string): ServerFile | undefined => {
  const text = readPrivate(fileIn(directory))?.toString('utf8')
  if (text === undefined) return undefined
  try {
    return serverIn(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** By hand: for four fields, loading Zod would take longer than the rest of a start. */
const serverIn = (found: unknown): ServerFile | undefined => {
  if (typeof found !== 'object' || found === null) return undefined
  const { url, pid, control, node }: { [Key in keyof ServerFile]?: unknown } = found
  const isWeb = typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)
  const isProcess = typeof pid === 'number' && Number.isInteger(pid) && pid > 0
  if (!isWeb || !isProcess) return undefined
  return {
    ...{ url, pid },
    ...(typeof control === 'string' && { control }),
    ...(typeof node === 'string' && { node }),
  }
}
