import type { StampedEvent } from '../../../src/events/types.ts'
import type { Log } from '../../../src/log/index.ts'
import { createRandom } from '../random.ts'

/** What the writer does with a log. Its number is its position in the list. */
export type Operation =
  | { kind: 'append'; sessionId: string; first: number; count: number }
  | { kind: 'rename'; sessionId: string }

export const sessionIds = ['a', 'b', 'c'] as const

/** The operations of a seed, the same in the writer and in the check. */
export const operationsOf = (seed: number, count: number): Operation[] => {
  const random = createRandom(seed)
  const heads = new Map<string, number>()
  return Array.from({ length: count }, () => {
    const sessionId = random.pick(sessionIds)
    if (random.oneIn(8)) return { kind: 'rename', sessionId }
    const first = (heads.get(sessionId) ?? 0) + 1
    const length = 1 + random.below(12)
    heads.set(sessionId, first + length - 1)
    return { kind: 'append', sessionId, first, count: length }
  })
}

/** An event of varying length, which its session, its seq and its operation determine. */
export const eventOf = (sessionId: string, seq: number, number: number): StampedEvent => ({
  type: 'tool_execution_update',
  toolCallId: `operation ${number}`,
  toolName: 'bash',
  outputDelta: `${sessionId} ${seq} `.repeat(1 + ((seq * 7919) % (seq % 40 === 0 ? 3000 : 60))),
  sessionId,
  seq,
  timestamp: 1,
})

/** The name that an operation gives to its session. */
export const nameOf = (number: number): string => `operation ${number}`

export const createSessions = async (log: Log): Promise<void> => {
  for (const id of sessionIds)
    await log.sessions.create({
      id,
      agent: 'pi',
      cwd: '/',
      state: 'idle',
      createdAt: 1,
      updatedAt: 1,
    })
}

/** Performs all operations of a seed, up to six at once. */
export const performAll = async (
  log: Log,
  seed: number,
  count: number,
  onConfirmed: (number: number) => void,
): Promise<void> => {
  const random = createRandom(seed + 1)
  const operations = operationsOf(seed, count)
  for (let at = 0; at < operations.length; ) {
    const end = at + 1 + random.below(6)
    const running = operations.slice(at, end).map(async (operation, index) => {
      const number = at + index
      await perform(log, operation, number)
      onConfirmed(number)
    })
    at = end
    await Promise.all(running)
  }
}

/** Starts an operation. Resolves when the log has confirmed it. */
const perform = async (log: Log, operation: Operation, number: number): Promise<void> => {
  const { sessionId } = operation
  if (operation.kind === 'rename') {
    await log.sessions.update(sessionId, { name: nameOf(number) })
    return
  }
  const events = Array.from({ length: operation.count }, (_, index) =>
    eventOf(sessionId, operation.first + index, number),
  )
  await log.append(sessionId, events)
}
