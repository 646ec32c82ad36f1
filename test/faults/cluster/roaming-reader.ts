import { setTimeout as pause } from 'node:timers/promises'
import { readConnection } from '../connection.ts'
import type { Random } from '../random.ts'
import { createFrameChecker, type Witness } from '../witness.ts'
import type { ServerNode } from './server-node.ts'

export interface RoamingReaderOptions {
  nodes: readonly ServerNode[]
  token: string
  random: Random
  witness: Witness
  fail(cause: unknown): void
}

/** Reads a session from one node after another, and continues behind its last event each time. */
export const startRoamingReader = (
  sessionId: string,
  { nodes, token, random, witness, fail }: RoamingReaderOptions,
) => {
  const checker = createFrameChecker(witness, 'one')
  const over = new AbortController()
  const read = async (): Promise<void> => {
    let isNew = true
    while (!over.signal.aborted) {
      const node = nodes[random.below(nodes.length)]
      if (!node?.current()) {
        await pause(20)
        continue
      }
      const lastEventId = isNew ? undefined : checker.cursor()
      checker.begin(lastEventId !== undefined)
      const limit = AbortSignal.timeout(500 + random.below(4000))
      const status = await readConnection({
        ...{ port: node.port(), token, lastEventId, onFrame: checker.read },
        path: `/api/v1/sessions/${sessionId}/stream`,
        signal: AbortSignal.any([over.signal, limit]),
      })
      // Now and then it continues as a new reader, which begins with a snapshot.
      if (status === 200) isNew = random.oneIn(8)
      await pause(20)
    }
  }
  const reading = read().catch(fail)
  return {
    count: checker.count,
    async stop() {
      over.abort()
      await reading
    },
  }
}
