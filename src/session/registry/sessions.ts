import { randomUUID } from 'node:crypto'
import type { AgentDescription, AgentEntry } from '../../agents/agent.ts'
import { gateFile } from '../../agents/pi/gate-file.ts'
import { agents, isAgentName } from '../../agents/table.ts'
import type { Bus } from '../../bus/bus.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import { LogFault, unknownSession } from '../../log/log-fault.ts'
import type { SessionPatch } from '../../log/records.ts'
import type { SessionRecord } from '../../log/types.ts'
import { findAgent } from '../../process/find-agent.ts'
import { startTimeOf } from '../../process/proc.ts'
import { catchErrors } from '../../shared/catch-errors.ts'
import { Fault } from '../../shared/fault.ts'
import { createSessionPublisher, type SessionPublisher } from '../bus/session-publisher.ts'
import type { ApprovalPolicy } from '../conversation/approvals.ts'
import type { Session } from '../conversation/session.ts'
import type { RecordChange } from '../conversation/session-deps.ts'
import { createLazySession } from './lazy-session.ts'
import { type LoadedSession, type LoadOptions, loadSession, programOf } from './load-session.ts'
import { createLoadedSessions } from './loaded-sessions.ts'
import { recover } from './recover.ts'
import type { SessionLifecycleEvent } from './session-lifecycle.ts'

export interface SessionsOptions {
  log: Log
  /** Tells of every event that has become durable, in order per session. */
  publish?(event: StampedEvent): void
  /** Is told the same by subject, and asked before a tool runs. Whoever gives it closes it. */
  bus?: Bus
  /** Tells of what happens to sessions as a whole. */
  onSession?(news: SessionLifecycleEvent): void
  /** Told what those who are told have thrown: no session notices. A warning of Node without it. */
  onError?(cause: unknown): void
  /** Where an agent’s program is; by its variable and on PATH unless told otherwise. */
  findProgram?(agent: AgentDescription): string | undefined
  /** File of the extension that makes Pi ask; the one that comes with Sluice without it. */
  gate?: string
  env?: NodeJS.ProcessEnv
  now?(): number
  policy?: ApprovalPolicy
  /** How many agents may live at once. */
  limit?: number
  /** An agent that has done nothing for so long is ended; its session stays. */
  idleMs?: number
}

export interface CreateSessionOptions {
  agent: string
  cwd: string
  model?: string
  name?: string
  projectId?: string
}

/** All sessions of a data directory: begun, found again, listed, ended. */
export const openSessions = async (options: SessionsOptions) => {
  const { log, bus, now = Date.now, limit = 16, idleMs = 15 * 60 * 1000 } = options
  const { onError = warn, findProgram = findAgent, gate = gateFile } = options
  const shared: LoadOptions = { ...options, now, idleMs, onError, findProgram, gate }
  /** What may run unasked, by session: longer than its time in memory. */
  const remembered = new Map<string, Set<string>>()

  const guarded = catchErrors(onError)
  const news = (what: SessionLifecycleEvent) => guarded(() => options.onSession?.(what))
  const tellBus = (record: SessionRecord, tell: (teller: SessionPublisher) => void) =>
    guarded(() => bus && tell(createSessionPublisher(bus, record)))

  const patchOf = ({ pid, ...change }: RecordChange): SessionPatch => ({
    ...change,
    updatedAt: now(),
    ...(change.name === '' && { name: null }),
    ...(pid === null && { pid, pidStartedAt: null }),
    ...(typeof pid === 'number' && { pid, pidStartedAt: startTimeOf(pid) ?? null }),
  })

  /** The record is a help, the events are the truth: one that cannot be saved stops nobody. */
  const saveRecord = async (id: string, change: RecordChange): Promise<void> => {
    try {
      news({ type: 'session_updated', session: await log.sessions.update(id, patchOf(change)) })
    } catch (cause) {
      if (!(cause instanceof LogFault)) throw cause
    }
  }

  const rememberedOf = (id: string): Set<string> => {
    const known = remembered.get(id) ?? new Set()
    remembered.set(id, known)
    return known
  }

  const rested = (id: string): void => {
    const session = awake.peek(id)?.session
    // What waits in its queue would be lost with it.
    const leaving = session?.isResting() === false ? session.stop('idle') : awake.leave(id, 'idle')
    leaving.catch(onError)
  }

  const open = async (id: string): Promise<LoadedSession> => {
    const record = await log.sessions.get(id)
    // One that was set aside does nothing until it is taken back.
    if (!record || record.removedAt !== undefined) throw unknownSession(id)
    return loadSession(record, shared, {
      agent: await entryOf(record.agent).load(),
      remembered: rememberedOf(id),
      makeRoom: () => awake.makeRoom(id),
      onRecord: (change) => void saveRecord(id, change),
      onRested: () => rested(id),
      onFailed: () => void awake.leave(id, 'stopped').catch(onError),
    })
  }
  const left = (id: string): void => {
    if (remembered.get(id)?.size === 0) remembered.delete(id)
  }
  const awake = createLoadedSessions({ open, onLeft: left, limit })
  await recover(shared)

  return {
    /** Begins a session; its agent starts with the first prompt. */
    async create(
      asked: CreateSessionOptions,
    ): Promise<{ record: SessionRecord; session: Session }> {
      programOf(entryOf(asked.agent), shared)
      const time = now()
      const record: SessionRecord = {
        id: randomUUID(),
        ...asked,
        state: 'idle',
        createdAt: time,
        updatedAt: time,
      }
      await log.sessions.create(record)
      news({ type: 'session_created', session: record })
      tellBus(record, (teller) => teller.created(record))
      return { record, session: createLazySession(record.id, awake) }
    },
    /** A session by its id; undefined when there is none. Its agent starts with the next prompt. */
    async get(id: string): Promise<Session | undefined> {
      return (await log.sessions.get(id)) && createLazySession(id, awake)
    },
    list: log.sessions.list,
    /** Ends the agent of a session whose record says that it is removed: it starts no other. */
    async setAside(id: string): Promise<void> {
      const record = await log.sessions.get(id)
      await awake.leave(id, 'removed')
      if (record) tellBus(record, (teller) => teller.ended(now(), 'removed'))
    },
    /** Takes a session away, with its agent and all that was stored of it. */
    async remove(id: string): Promise<void> {
      const record = await log.sessions.get(id)
      if (!record) throw unknownSession(id)
      await awake.leave(id, 'removed')
      await log.sessions.remove(id)
      remembered.delete(id)
      news({ type: 'session_removed', sessionId: id })
      // Of one that was set aside it was told then.
      if (record.removedAt === undefined)
        tellBus(record, (teller) => teller.ended(now(), 'removed'))
    },
    /** Settles when no run is going on and none is about to begin. */
    idle: awake.idle,
    /** Ends all agents and what they started, at once, without waiting; nothing begins after it. */
    kill: awake.kill,
    close: awake.close,
  }
}
export type Sessions = Awaited<ReturnType<typeof openSessions>>

const entryOf = (name: string): AgentEntry => {
  if (isAgentName(name)) return agents[name]
  throw new Fault('agent_not_found', `There is no agent ${name}.`)
}

const warn = (cause: unknown): void =>
  process.emitWarning(cause instanceof Error ? cause : String(cause))
