import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'

/** Up to where the files of a session are read, according to its stored events. */
export interface StoredPositions {
  /** By the name of the file; the session’s own has an empty one. */
  offsets: Map<string, number>
  /** Where the session’s own file was when what it left open was closed. */
  closings: Set<number>
}

/** A crash cannot separate events from their position, because it is stored with them. */
export const storedPositions = async (
  log: Pick<Log, 'readText'>,
  sessionId: string,
): Promise<StoredPositions> => {
  const offsets = new Map<string, number>()
  const closings = new Set<number>()
  for await (const { texts } of log.readText(sessionId, 0))
    for (const text of texts) {
      if (!text.includes('"readUpTo":{', text.length - longestPosition)) continue
      const { readUpTo }: StampedEvent = JSON.parse(text)
      if (!readUpTo) continue
      offsets.set(readUpTo.file ?? '', readUpTo.offset)
      if (readUpTo.closed) closings.add(readUpTo.offset)
    }
  return { offsets, closings }
}

/** The position comes last in an event. The name of a file has at most 255 bytes, of 6 characters each. */
const longestPosition = 2048
