import { randomUUID } from 'node:crypto'
import { type Agent, agents as agentTable, isAgentName } from '../agents/index.ts'
import type { StampedEvent } from '../events/envelope.ts'
import { Fault } from '../events/fault.ts'
import { createLedger } from '../ledger/ledger.ts'
import type { Log } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { SessionPatch, SessionRecord } from '../log/session-record.ts'
import type { ApprovalPolicy } from './approvals.ts'
import { createIdleTimer } from './idle-timer.ts'
import { startTimeOf } from './orphans.ts'
import { createRecorder } from './recorder.ts'
import { recover } from './recover.ts'
import { createSession, type Session, type SessionChange } from './session.ts'
import { storeApproval } from './store-approval.ts'
import { createSpill } from './store-blobs.ts'

export interface SessionsOptions {
  log: Log
  /** Tells of every event that has become durable. */
  publish(event: StampedEvent): void
  /** Where an agent’s program is. */
  findProgram(agent: Agent): string | undefined
  /** File of the extension that makes Pi ask. */
  gate: string
  env?: NodeJS.ProcessEnv
  now?(): number
  policy?: ApprovalPolicy
  /** How many agents may live at once. */
  limit?: number
  /** An agent that has done nothing for so long is ended; its session stays. */
  idleMs?: number
}

export interface NewSession {
  agent: string
  cwd: string
  model?: string
  name?: string
  projectId?: string
}

interface Live {
  session: Session
  close(): Promise<void>
}

/** All sessions of a data directory: begun, found again, listed, ended. */
export const openSessions = async (options: SessionsOptions) => {
  const { log, now = Date.now, limit = 16, idleMs = 15 * 60 * 1000 } = options
  const live = new Map<string, Promise<Live>>()
  await recover(log, now)

  const patchOf = ({ pid, ...change }: SessionChange): SessionPatch => ({
    ...change,
    updatedAt: now(),
    ...(pid === null && { pid, pidStartedAt: null }),
    ...(typeof pid === 'number' && { pid, pidStartedAt: startTimeOf(pid) ?? null }),
  })

  /** The record is a help, the events are the truth: one that cannot be saved stops nobody. */
  const saveRecord = async (id: string, change: SessionChange): Promise<void> => {
    try {
      await log.sessions.update(id, patchOf(change))
    } catch (cause) {
      if (!(cause instanceof LogFault)) throw cause
    }
  }

  const open = async (record: SessionRecord): Promise<Live> => {
    const agent = agentOf(record.agent)
    const program = options.findProgram(agent)
    if (program === undefined)
      throw new Fault('agent_not_found', `${agent.title} is not installed.`)
    const head = await log.head(record.id)
    const ledger = createLedger()
    // One after another: however long the session is, it is never in memory as a whole.
    for await (const event of log.read(record.id, 0)) ledger.add(event)
    const blobs = createSpill(log, record.id)
    const idle = createIdleTimer(idleMs, () => void session.stop())
    const recorder = createRecorder({
      sessionId: record.id,
      after: head,
      now,
      prepare: blobs.take,
      async append(events) {
        // In the order of the asking: no event is durable before what it points at.
        await Promise.all([blobs.stored(), log.append(record.id, events)])
        for (const event of events) await storeApproval(log, event, now)
      },
      publish(event) {
        idle.note(event)
        options.publish(event)
      },
      onFailure: () => void session.stop(),
    })
    const session = createSession(
      {
        agent,
        program,
        cwd: record.cwd,
        recorder,
        now,
        gate: options.gate,
        ...(options.env && { env: options.env }),
        ...(options.policy && { policy: options.policy }),
        onRecord: (change) => void saveRecord(record.id, change),
      },
      {
        head,
        ledger,
        ...(record.model !== undefined && { model: record.model }),
        ...(record.nativeId !== undefined && { nativeId: record.nativeId }),
      },
    )
    return {
      session,
      async close() {
        idle.stop()
        await session.stop()
        await recorder.close()
      },
    }
  }

  const enter = (record: SessionRecord): Promise<Live> => {
    const opened = open(record)
    live.set(record.id, opened)
    opened.catch(() => live.delete(record.id))
    return opened
  }

  return {
    /** Begins a session; its agent starts with the first prompt. */
    async create(asked: NewSession): Promise<{ record: SessionRecord; session: Session }> {
      if (live.size >= limit) throw new Fault('too_many_sessions', `${limit} sessions are open.`)
      const time = now()
      const record: SessionRecord = {
        id: randomUUID(),
        ...asked,
        state: 'idle',
        createdAt: time,
        updatedAt: time,
      }
      agentOf(asked.agent)
      await log.sessions.create(record)
      const { session } = await enter(record)
      return { record, session }
    },
    /** A session by its id, woken if it slept; undefined when there is none. */
    async get(id: string): Promise<Session | undefined> {
      const known = live.get(id)
      if (known) return (await known).session
      const record = await log.sessions.get(id)
      return record && (await enter(record)).session
    },
    list: log.sessions.list,
    /** Takes a session away, with its agent and all that was stored of it. */
    async remove(id: string): Promise<void> {
      await (await live.get(id))?.close()
      live.delete(id)
      await log.sessions.remove(id)
    },
    async close(): Promise<void> {
      await Promise.all([...live.values()].map(async (each) => (await each).close()))
      live.clear()
    },
  }
}
export type Sessions = Awaited<ReturnType<typeof openSessions>>

const agentOf = (name: string): Agent => {
  if (isAgentName(name)) return agentTable[name]
  throw new Fault('agent_not_found', `There is no agent ${name}.`)
}
