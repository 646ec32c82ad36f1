import { formatCursors } from '../../api/cursors.ts'
import type { Chunk, SplitFrames } from '../fan-out/ring.ts'

/**
 * The ids of a stream of several sessions: each holds the cursors of all sessions. Every frame of a
 * session has one, so a client that is cut anywhere resumes after the last frame that it has. Used by
 * the multiplexed stream.
 */
export interface StreamIds {
  /** Whether ids are too long for every frame: then only the last frame of a write gets one. */
  readonly isLong: boolean
  /** Moves the cursor of a session. Calls come in the order of the frames. */
  move(sessionId: string, cursor: string): void
  /** Removes a session that the stream no longer carries. */
  remove(sessionId: string): void
  /** The id after all frames so far. */
  current(): string
  /** Moves the cursor of a session over a chunk of its frames, and returns them for this stream. */
  framesOf(sessionId: string, chunk: Chunk): Buffer
}

/** With more sessions, an id would be several times as long as an event. */
export const mostSessionsInId = 16

/** The ids of a stream of these sessions. A session is in no id until its cursor is moved. */
export const createStreamIds = (sessionIds: readonly string[]): StreamIds => {
  const isLong = sessionIds.length > mostSessionsInId
  const cursors = new Map<string, string | undefined>(sessionIds.map((id) => [id, undefined]))

  /** What ids have before and after the cursor of a session: the same for all its frames. */
  const around = (sessionId: string): [string, string] => {
    let before = ''
    let after: string | undefined
    for (const [id, cursor] of cursors) {
      if (id === sessionId) after = ''
      else if (cursor === undefined) continue
      else if (after === undefined) before += `${id}:${cursor},`
      else after += `,${id}:${cursor}`
    }
    return [`${before}${sessionId}:`, after ?? '']
  }

  return {
    isLong,
    move: (sessionId, cursor) => void cursors.set(sessionId, cursor),
    remove: (sessionId) => void cursors.delete(sessionId),
    current: () => formatCursors([...cursors].filter(isKnown)),
    framesOf(sessionId, chunk) {
      chunk.split ??= splitFrames(chunk)
      cursors.set(sessionId, chunk.split.ids.at(-1))
      if (isLong) {
        chunk.withoutIds ??= Buffer.from(chunk.split.rests.join(''), 'latin1')
        return chunk.withoutIds
      }
      if (cursors.size > 1) return framesWithIds(chunk.split, ...around(sessionId))
      // All streams of this session alone share the frames.
      chunk.withSessionId ??= framesWithIds(chunk.split, `${sessionId}:`, '')
      return chunk.withSessionId
    },
  }
}

const isKnown = (entry: [string, string | undefined]): entry is [string, string] =>
  entry[1] !== undefined

const splitFrames = ({ first, last, bytes }: Chunk): SplitFrames => {
  const text = bytes.toString('latin1')
  const ids: string[] = []
  const rests: string[] = []
  let start = 0
  for (let seq = first; seq <= last; seq += 1) {
    const idEnd = text.indexOf('\n', start)
    const end = text.indexOf('\n\n', idEnd) + 2
    ids.push(text.slice(start + 'id: '.length, idEnd))
    rests.push(text.slice(idEnd + 1, end))
    start = end
  }
  return { ids, rests }
}

const framesWithIds = ({ ids, rests }: SplitFrames, before: string, after: string): Buffer => {
  const [head, tail] = [asLatin1(`id: ${before}`), asLatin1(`${after}\n`)]
  let text = ''
  for (const [index, id] of ids.entries()) text += `${head}${id}${tail}${rests[index] ?? ''}`
  return Buffer.from(text, 'latin1')
}

const asLatin1 = (text: string): string => Buffer.from(text).toString('latin1')
