import type { StampedEvent } from '../../events/types.ts'
import { openOwnFile } from '../../files/open-own-file.ts'
import type { Log } from '../../log/log.ts'
import { lineTailAt } from './line-tail.ts'
import type { FoundFile } from './tracks.ts'

/** Up to where the files of a session are read, according to its stored events. */
export interface StoredPositions {
  /** By the name of the file; the session’s own has an empty one. */
  offsets: Map<string, number>
  /** The checksum of the end of the line at this offset, where it is known. */
  tails: Map<string, number>
  /** Where the session’s own file was when what it left open was closed. */
  closings: Set<number>
}

export const noPositions = (): StoredPositions => ({
  ...{ offsets: new Map(), tails: new Map(), closings: new Set() },
})

/** A crash cannot separate events from their position, because it is stored with them. */
export const storedPositions = async (
  log: Pick<Log, 'readText'>,
  sessionId: string,
): Promise<StoredPositions> => {
  const { offsets, tails, closings } = noPositions()
  for await (const { texts } of log.readText(sessionId, 0))
    for (const text of texts) {
      if (!text.includes('"readUpTo":{', text.length - longestPosition)) continue
      const { readUpTo }: StampedEvent = JSON.parse(text)
      if (!readUpTo) continue
      const { file = '', offset, tail, closed } = readUpTo
      offsets.set(file, offset)
      if (tail !== undefined) tails.set(file, tail)
      else tails.delete(file)
      if (closed) closings.add(offset)
    }
  return { offsets, tails, closings }
}

/** The position comes last in an event. The name of a file has at most 255 bytes, of 6 characters each. */
const longestPosition = 2048

/** Whether files still have what was read of them: they can be written anew while nobody looks. */
export const haveStored = async (
  files: readonly FoundFile[],
  root: string,
  { offsets, tails }: StoredPositions,
): Promise<boolean> => {
  for (const { name, path } of files) {
    const [offset, tail] = [offsets.get(name), tails.get(name)]
    if (offset === undefined || tail === undefined) continue
    const opened = await openOwnFile(path, root)
    if (!opened) continue
    try {
      if ((await lineTailAt(opened.file, offset)) !== tail) return false
    } finally {
      await opened.file.close()
    }
  }
  return true
}
