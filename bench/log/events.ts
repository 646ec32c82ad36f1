import type { StampedEvent } from '../../src/events/types.ts'
import type { SessionRecord } from '../../src/log/index.ts'

const words = 'the quick brown fox jumps over the lazy dog and then it reads the whole file again'

/** A text delta, the most frequent event; about 250 bytes as JSON. */
export const eventOf = (sessionId: string, seq: number): StampedEvent => ({
  type: 'message_update',
  messageId: `m${seq >> 6}`,
  assistantMessageEvent: {
    type: 'text_delta',
    contentIndex: 0,
    delta: `${words.slice(seq % 20, 40 + (seq % 30))} ${seq}`,
  },
  sessionId,
  seq,
  timestamp: 1_760_000_000_000 + seq,
})

/** The events of one turn of the event loop, by session. */
export type Turn = ReadonlyMap<string, StampedEvent[]>

const sessionCount = 20
/** How many consecutive events belong to the same session. */
const runLength = 8

export const sessionIds = Array.from({ length: sessionCount }, (_, index) => `session-${index}`)

export const recordOf = (id: string): SessionRecord => ({
  id,
  agent: 'pi',
  cwd: '/',
  state: 'running',
  createdAt: 1,
  updatedAt: 1,
})

/** `count` events of several sessions, `size` in each turn of the event loop. */
export const turnsOf = function* (count: number, size: number): Generator<Turn> {
  const heads = new Map<string, number>()
  let made = 0
  const next = (): StampedEvent => {
    const id = sessionIds[Math.floor(made / runLength) % sessionCount] ?? ''
    const seq = (heads.get(id) ?? 0) + 1
    heads.set(id, seq)
    made += 1
    return eventOf(id, seq)
  }
  while (made < count)
    yield Map.groupBy(Array.from({ length: size }, next), (event) => event.sessionId)
}
