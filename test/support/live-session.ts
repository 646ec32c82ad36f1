import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { ApprovalMode, StampedEvent, StartOptions } from '../../src/events/types.ts'
import { createSession } from '../../src/session/conversation/create-session.ts'
import type { OwnedSession } from '../../src/session/conversation/session.ts'
import type { RecordChange, SessionDeps } from '../../src/session/conversation/session-deps.ts'
import { createRecorder } from '../../src/session/recording/recorder.ts'
import { createMemoryProjectRules } from '../../src/session/rules/project-rules.ts'
import { createRuleBook } from '../../src/session/rules/rule-book.ts'
import { createSessionRules } from '../../src/session/rules/session-rules.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import { agentProgram } from './agent-program.ts'

/** Stores no commands. */
export const noCommandStore: SessionDeps['commands'] = {
  add: async () => {},
  setState: async () => {},
  setText: async () => {},
  close: async () => {},
  remove: async () => {},
}

export interface LiveSessionOptions {
  agent: Agent
  setup: AgentSetup
  model: string
  deps?: Partial<SessionDeps>
  /** How calls are decided that no rule covers. Default: `ask`. */
  policy?: ApprovalMode
  /** The agent’s own id of the conversation to continue. */
  nativeId?: string
  /** The agent’s own id of the conversation to continue a copy of. */
  forkedNativeId?: string
  /** How the agent starts. */
  start?: StartOptions
  /** The seq of the last event of that conversation. */
  head?: number
}

/** A session that records in memory; tests wait for events, not for time. */
export interface LiveSession extends OwnedSession {
  events: StampedEvent[]
  /** The changes of the session’s record. */
  changes: RecordChange[]
  /** Resolves with the first matching event from index `from` on. */
  until(matches: (event: StampedEvent) => boolean, from?: number): Promise<StampedEvent>
  /** Prompts, waits until the run has ended, and returns the events of the run. */
  run(text: string): Promise<StampedEvent[]>
  /** Stops the session and checks the order of its events. */
  close(): Promise<void>
}

export const openLiveSession = (options: LiveSessionOptions): LiveSession => {
  const { agent, setup, model, start, nativeId, forkedNativeId, head = 0 } = options
  const forked = forkedNativeId !== undefined && { forkedNativeId, forkedFrom: 'source' }
  const events: StampedEvent[] = []
  const checks = new Set<() => void>()
  const changes: RecordChange[] = []
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
      for (const check of checks) check()
    },
    onFailure: (cause) => expect.unreachable(String(cause)),
  })
  const program = agentProgram(setup)
  const session = createSession(
    {
      agent,
      program: () => program,
      cwd: setup.cwd,
      env: setup.env,
      id: randomUUID(), // not a fixed one: tests of the recovery kill the processes of theirs
      recorder,
      commands: noCommandStore,
      onError: (cause) => expect.unreachable(String(cause)),
      now: Date.now,
      onRecord: (change) => changes.push(change),
      rules: createSessionRules({
        book: createRuleBook({ projects: createMemoryProjectRules(), now: Date.now }),
        sessionId: 's',
        cwd: setup.cwd,
        agent,
        mode: options.policy ?? 'ask',
        onError: (cause) => expect.unreachable(String(cause)),
      }),
      ...options.deps,
    },
    {
      head,
      model,
      ...(start && { start }),
      ...(nativeId !== undefined && { nativeId }),
      ...forked,
    },
  )

  const until: LiveSession['until'] = (matches, from = 0) => {
    const { promise, resolve } = Promise.withResolvers<StampedEvent>()
    const check = () => {
      const found = events.slice(from).find(matches)
      if (!found) return
      checks.delete(check)
      resolve(found)
    }
    checks.add(check)
    check()
    return promise
  }

  return {
    ...session,
    events,
    changes,
    until,
    async run(text) {
      const from = events.length
      expect(await session.prompt(text)).toEqual({ outcome: 'accepted' })
      await until((event) => event.type === 'agent_end', from)
      return events.slice(from)
    },
    async close() {
      await session.stop()
      await recorder.close()
      expect(head === 0 ? checkOrder(events) : []).toEqual([])
    },
  }
}
