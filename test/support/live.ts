import { expect } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import { createSession } from '../../src/session/conversation/create-session.ts'
import type { SessionDeps } from '../../src/session/conversation/session-deps.ts'
import { createRecorder } from '../../src/session/recording/recorder.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import { programOf } from './program.ts'

/** Pi’s gate, as a session gives it to Pi. */
export const gate = new URL('../../src/agents/pi/gate.js', import.meta.url).pathname

export interface LiveOptions {
  agent: Agent
  setup: AgentSetup
  model: string
  world?: Partial<SessionDeps>
  /** What an earlier session of the same conversation left. */
  nativeId?: string
  head?: number
}

/** A session over a log in memory; waits for events instead of for time. */
export const openLive = ({ agent, setup, model, world = {}, nativeId, head = 0 }: LiveOptions) => {
  const events: StampedEvent[] = []
  const waiting = new Set<() => void>()
  const changes: object[] = []
  let seq = head
  const recorder = createRecorder({
    sessionId: 's',
    after: head,
    now: Date.now,
    async append(batch) {
      for (const event of batch) {
        seq += 1
        expect(event.seq).toBe(seq)
      }
    },
    publish(event) {
      events.push(event)
      for (const check of waiting) check()
    },
    onFailure: (cause) => expect.unreachable(String(cause)),
  })
  const program = programOf(setup)
  const session = createSession(
    {
      agent,
      program: () => program,
      cwd: setup.cwd,
      env: setup.env,
      recorder,
      now: Date.now,
      onRecord: (change) => changes.push(change),
      ...world,
    },
    { head, model, ...(nativeId !== undefined && { nativeId }) },
  )

  /** The first event, from `from` on, for which something holds. */
  const until = (holds: (event: StampedEvent) => boolean, from = 0): Promise<StampedEvent> => {
    const { promise, resolve } = Promise.withResolvers<StampedEvent>()
    const check = () => {
      const found = events.slice(from).find(holds)
      if (!found) return
      waiting.delete(check)
      resolve(found)
    }
    waiting.add(check)
    check()
    return promise
  }

  return {
    ...session,
    events,
    changes,
    until,
    /** Prompts, and waits until the run is over. */
    async run(text: string): Promise<StampedEvent[]> {
      const from = events.length
      expect(await session.prompt(text)).toEqual({ outcome: 'accepted' })
      await until((event) => event.type === 'agent_end', from)
      return events.slice(from)
    },
    async close(): Promise<void> {
      await session.stop()
      await recorder.close()
      expect(head === 0 ? checkOrder(events) : []).toEqual([])
    },
  }
}
