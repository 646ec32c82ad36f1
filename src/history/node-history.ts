import { homedir } from 'node:os'
import { knownAgent } from '../agents/known-agents.ts'
import type { StampedEvent } from '../events/types.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { resolveLinks } from '../files/real-path.ts'
import type { Log } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import type { HistoryStore, StoredHistory } from '../log/stored-history.ts'
import type { SessionRecord } from '../log/types.ts'
import type { ConversationArrival } from '../session/conversation/session-deps.ts'
import type { Ownership } from '../session/registry/ownership.ts'
import type { HistoryFigures, SessionHistory } from '../session/registry/session-history.ts'
import { Fault } from '../shared/fault.ts'
import { finishesWithin } from '../shared/finishes-within.ts'
import { formatSize } from '../shared/format-size.ts'
import { findConversation } from './find-conversation.ts'
import { type HistoryLayout, historyLayouts, isSafeId } from './layouts.ts'
import { restoreConversation } from './restore-conversation.ts'
import { type KnownHistory, type StoreOutcome, storeConversation } from './store-conversation.ts'
import { createWorkSlots } from './work-slots.ts'

/** The conversations of a node’s sessions: stored while it owns them, and brought here when it takes one. */
export interface NodeHistory extends SessionHistory {
  /** Stores the conversation when a run ends. */
  onEvent(event: StampedEvent): void
  figures(): HistoryFigures
  close(): void
}

export interface NodeHistoryOptions {
  store: HistoryStore
  log: Pick<Log, 'sessions' | 'status'>
  ownership: Pick<Ownership, 'termOf'>
  node: string
  /** What agents start with: it says where their files are. */
  env: NodeJS.ProcessEnv
  onError(cause: unknown): void
  /** How often the conversations of loaded sessions are stored. Default: every 15 seconds. */
  everyMs?: number
  /** Larger conversations are not stored. Default: 64 MiB. */
  maxBytes?: number
}

/** Agents write their last lines up to 400 ms after they have printed them. */
const afterRunMs = [0, 500, 2000]
/** How long a restore may take before the agent starts without it. */
const restoreMs = 30_000
/** How long it may take to store a conversation when its session leaves. */
const leaveMs = 10_000
/** How many conversations are stored at once: each takes some memory. */
const atOnce = 4

/** A session that this node owns. */
interface OwnedHistory extends KnownHistory {
  storing?: Promise<void>
  /** Reported once, until it works again. */
  hasFailed: boolean
  readonly timers: Set<NodeJS.Timeout>
}

export const createNodeHistory = (options: NodeHistoryOptions): NodeHistory => {
  const { log, onError, everyMs = 15_000 } = options
  const owned = new Map<string, OwnedHistory>()
  const slots = createWorkSlots(atOnce)
  const figures = { stored: 0, storedBytes: 0, failed: 0, restored: 0, missing: 0, older: 0 }

  const storeNow = async (id: string, known: OwnedHistory): Promise<void> => {
    // What cannot be stored now is stored later.
    if (log.status().state === 'unreachable') return
    const before = known.stored?.bytes ?? 0
    try {
      const outcome = await slots.take(() => storeSession(options, id, known))
      if (outcome === 'stored') {
        figures.stored += 1
        figures.storedBytes += Math.max(0, (known.stored?.bytes ?? 0) - before)
      }
      if (outcome === 'too_large' && !known.hasFailed) onError(tooLarge(id, known.stored))
      if (outcome !== 'unchanged') known.hasFailed = outcome === 'too_large'
    } catch (cause) {
      // Another node has the session: that one stores it.
      if (cause instanceof LogFault && (cause.code === 'fenced' || cause.code === 'closed')) return
      figures.failed += 1
      if (!known.hasFailed) onError(cause)
      known.hasFailed = true
    }
  }
  /** One after the other: each continues where the last one ended. */
  const storeNext = (id: string, known: OwnedHistory): Promise<void> => {
    const storing = (known.storing ?? Promise.resolve())
      .then(() => storeNow(id, known))
      .then(() => {
        if (known.storing === storing) delete known.storing
      })
    known.storing = storing
    return storing
  }
  const interval = setInterval(() => {
    for (const [id, known] of owned) if (!known.storing) void storeNext(id, known)
  }, everyMs).unref()

  return {
    async arrive(record, lastNode) {
      const known: OwnedHistory = { removed: new Set(), hasFailed: false, timers: new Set() }
      let arrival: ConversationArrival | undefined
      try {
        arrival = await bring(options, record, lastNode, known)
      } catch (cause) {
        if (cause instanceof LogFault) throw cause
        onError(cause)
      }
      if (arrival) figures[arrival.outcome] += 1
      // Not before: an older file here would replace what is stored.
      owned.set(record.id, known)
      return arrival
    },
    async leave(id, reason) {
      const known = owned.get(id)
      owned.delete(id)
      for (const timer of known?.timers ?? []) clearTimeout(timer)
      if (known && reason !== 'removed') await finishesWithin(storeNext(id, known), leaveMs)
    },
    onEvent({ type, sessionId }) {
      const known = type === 'agent_end' ? owned.get(sessionId) : undefined
      for (const ms of known ? afterRunMs : []) {
        const timer = setTimeout(() => {
          known?.timers.delete(timer)
          if (known) void storeNext(sessionId, known)
        }, ms)
        known?.timers.add(timer.unref())
      }
    },
    figures: () => ({ ...figures }),
    close() {
      clearInterval(interval)
      for (const { timers } of owned.values()) for (const timer of timers) clearTimeout(timer)
      owned.clear()
    },
  }
}

const defaultMaxBytes = 64 * 1024 * 1024

interface Located {
  layout: HistoryLayout
  /** The directory of the agent, without links. */
  root: string
  cwd: string
}

/** Where the agent of a session stores its conversations. Undefined if they are not carried. */
const locate = (
  { agent, cwd }: Pick<SessionRecord, 'agent' | 'cwd'>,
  env: NodeJS.ProcessEnv,
): Located | undefined => {
  const layout = historyLayouts[agent]
  if (!layout) return undefined
  const directory = layout.directory(env, env.HOME || homedir())
  makeDirectory(directory)
  const root = resolveLinks(directory)
  return root === undefined ? undefined : { layout, root, cwd: resolveLinks(cwd) ?? cwd }
}

const storeSession = async (
  { store, log, ownership, node, env, maxBytes = defaultMaxBytes }: NodeHistoryOptions,
  sessionId: string,
  known: KnownHistory,
): Promise<StoreOutcome> => {
  const term = ownership.termOf(sessionId)
  const record = await log.sessions.get(sessionId)
  const { agent = '', nativeId = '' } = record ?? {}
  const found = record && isSafeId(nativeId) ? locate(record, env) : undefined
  if (term === undefined || !found) return 'none'
  const wanted = { ...found, sessionId, term, node, agent, nativeId, maxBytes }
  return storeConversation(store, wanted, known)
}

/** Brings the conversation of a session here. */
const bring = async (
  options: NodeHistoryOptions,
  record: SessionRecord,
  lastNode: string | undefined,
  known: KnownHistory,
): Promise<ConversationArrival | undefined> => {
  const { store, ownership, node, env } = options
  const { id, nativeId, forkedFrom, forkedNativeId } = record
  const isFork = nativeId === undefined && forkedFrom !== undefined
  const wantedId = isFork ? forkedNativeId : nativeId
  const term = ownership.termOf(id)
  if (wantedId === undefined || term === undefined) return undefined
  // This node runs the source: what its agent has written is newer than what is stored.
  if (isFork && ownership.termOf(forkedFrom) !== undefined) return undefined
  const isFromElsewhere = lastNode !== undefined && lastNode !== node
  const found = isSafeId(wantedId) ? locate(record, env) : undefined
  if (!found) {
    const canResume = knownAgent(record.agent)?.capabilities.resume === true
    return isFromElsewhere && canResume
      ? missing('Sluice does not carry its conversations between nodes')
      : undefined
  }
  const stored = isFork ? await store.get(forkedFrom) : await store.begin(id, term)
  if (!isFork) known.stored = stored
  try {
    return await restore(options, found, wantedId, stored)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    // The files may be shared, or may have stayed here from an earlier time.
    const isHere = await findConversation(found.layout, { ...found, nativeId: wantedId })
    const isStored = stored && stored.node !== node && stored.node !== ''
    if (!isHere) return isFromElsewhere || isStored ? missing(cause.message) : undefined
    return isStored && stored.files.length > 0
      ? { outcome: 'older', node: stored.node, reason: cause.message }
      : undefined
  }
}

const missing = (reason: string): ConversationArrival => ({ outcome: 'missing', reason })

/** Restores what is stored. Throws a fault with the reason why that is not possible. */
const restore = async (
  { store, node, maxBytes = defaultMaxBytes }: NodeHistoryOptions,
  located: Located,
  nativeId: string,
  stored: StoredHistory | undefined,
): Promise<ConversationArrival | undefined> => {
  const problem = problemOf(stored, nativeId)
  if (!stored || problem !== undefined) throw new Fault('history_not_restored', problem ?? '')
  const stop = new AbortController()
  const isOwn = stored.node === node
  const wanted = { ...located, nativeId, stored, isOwn, maxBytes, signal: stop.signal }
  const restoring = restoreConversation(store, wanted)
  const settled = restoring.then(
    () => {},
    () => {},
  )
  if (!(await finishesWithin(settled, restoreMs))) {
    stop.abort()
    throw new Fault('history_not_restored', 'It took too long to fetch it')
  }
  const outcome = await restoring
  return outcome === 'restored' ? { outcome, node: stored.node } : undefined
}

/** Why what is stored is not the conversation; undefined if it is. */
const problemOf = (stored: StoredHistory | undefined, nativeId: string): string | undefined => {
  if (!stored || (stored.state === 'whole' && stored.files.length === 0))
    return 'No node has stored it'
  if (stored.nativeId !== nativeId) return `Node ${stored.node} stored only an earlier one`
  if (stored.state === 'too_large')
    return `It is larger than what nodes store (${formatSize(stored.bytes)})`
  return undefined
}

const tooLarge = (id: string, stored: StoredHistory | undefined): Error =>
  new Error(
    `The conversation of session ${id} is too large to be stored (${formatSize(stored?.bytes ?? 0)}). Another node would start a new one.`,
  )
