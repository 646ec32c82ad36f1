import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readPrivate, writePrivate } from './private-file.ts'

const serverFile = z.object({
  url: z.url({ protocol: /^https?$/ }).describe('Where it can be reached from this machine.'),
  pid: z.number().int().positive(),
})
export type ServerFile = z.infer<typeof serverFile>

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
    return serverFile.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
