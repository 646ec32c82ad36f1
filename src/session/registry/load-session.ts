import type { Agent, AgentDescription, AgentEntry } from '../../agents/agent.ts'
import type { Spent } from '../../budget/limits.ts'
import type { Actor, StampedEvent } from '../../events/types.ts'
import { allTokens } from '../../events/usage-sums.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Prices } from '../../ledger/prices.ts'
import type { RecordAction } from '../../log/auditor.ts'
import { type InterruptReason, storeFailure } from '../../log/interrupt-reason.ts'
import { LogFault } from '../../log/log-fault.ts'
import { requireWritable } from '../../log/log-status.ts'
import type { SessionRecord } from '../../log/types.ts'
import { refuseOverlap } from '../../process/overlap.ts'
import type { Sandbox } from '../../process/sandbox.ts'
import { catchErrors } from '../../shared/catch-errors.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import type { TrustedProjects } from '../../trust/trusted-projects.ts'
import type { BudgetBook, OpenLimits } from '../budgets/budget-book.ts'
import { createApprovalRequester } from '../bus/approval-requester.ts'
import { createSessionPublisher } from '../bus/session-publisher.ts'
import { createSession } from '../conversation/create-session.ts'
import type { EndReason, OwnedSession } from '../conversation/session.ts'
import type {
  ConversationArrival,
  RecordChange,
  SessionDeps,
} from '../conversation/session-deps.ts'
import { loadLedger } from '../recording/ledger-checkpoints.ts'
import { createSessionRecorder, type SessionRecorder } from '../recording/session-recorder.ts'
import type { SessionRules } from '../rules/session-rules.ts'
import { queuedMessages } from './close-commands.ts'
import { closeInterrupted, isMarkedActive, readAndClose } from './close-interrupted.ts'
import { createIdleTimer } from './idle-timer.ts'
import type { RecoverDeps } from './recover.ts'
import type { SessionHistory } from './session-history.ts'
import { createTitler } from './title.ts'
import type { UnclosedRuns } from './unclosed-runs.ts'

/** What all sessions of a registry share. */
export interface RegistryDeps extends RecoverDeps {
  markKey: number
  /** The path of an agent’s program; undefined if it is not installed. */
  findProgram(agent: AgentDescription): string | undefined
  /** Finds the agent of a name for a directory. Rejects if there is none. */
  agentOf(name: string, directory: string): Promise<AgentEntry>
  /** Decides what agents may load from directories. */
  trust: Pick<TrustedProjects, 'start'>
  /** Carries conversations of agents between nodes. */
  history?: SessionHistory | undefined
  /** Frees what a deleted session had outside the log. */
  releaseDeleted?(record: SessionRecord): Promise<void>
  env?: NodeJS.ProcessEnv
  sandbox?: Sandbox
  /** How long an approval may stay open; without it, it waits for an answer. */
  approvalMs?: number
  /** An agent is ended after this time without a run. */
  idleMs: number
  /** Who sends commands that do not say it. */
  defaultActor?: Actor
  /** Records what somebody did. */
  recordAction: RecordAction
  /** Loads the prices for agents that report no cost. */
  prices?(): Promise<Prices | undefined>
}

/** How a loaded session makes others, or itself, leave memory. */
export interface UnloadHooks {
  /** Makes room for the session’s agent; rejects with a Fault if the limit is reached. */
  makeRoom(): Promise<void>
  /** The session has been idle for long. */
  onIdle(): void
  /** The session’s events can no longer be stored. */
  onStoreFailure(): void
}

/** What one session needs in addition. */
export interface LoadHooks extends UnloadHooks {
  agent: Agent
  rules: SessionRules
  budgets: Pick<BudgetBook, 'open'>
  onRecord(change: RecordChange): void
  /** The session’s last run, if it could not be closed in the log. */
  unclosedRuns: Pick<UnclosedRuns, 'add' | 'reasonOf' | 'remove'>
  /** Why the run was interrupted that the last node of the session left open. */
  lost?: InterruptReason | undefined
  arrival?: ConversationArrival | undefined
}

/** A session that is in memory. */
export interface LoadedSession {
  session: OwnedSession
  /** Restarts the idle time: the session is being used. */
  touch(): void
  /** When the session was last used, or last ended a run. */
  lastActive(): number
  /** Ends the session’s agent, and waits until all its events are stored and published. */
  close(reason: EndReason): Promise<void>
}

/** Loads a session into memory: its ledger, its recorder, and the listeners to its events. */
export const loadSession = async (
  record: SessionRecord,
  deps: RegistryDeps,
  hooks: LoadHooks,
): Promise<LoadedSession> => {
  const { log, now, onError } = deps
  const { id: sessionId } = record
  // A run whose end could not be stored is closed before another one starts.
  const interruption = hooks.unclosedRuns.reasonOf(sessionId) ?? hooks.lost
  const ledger = await loadLedger(log, sessionId, {
    prices: await deps.prices?.(),
    read: (after) => readAndClose(record, after, deps, interruption),
  })
  hooks.unclosedRuns.remove(sessionId)
  if (isMarkedActive(record)) hooks.onRecord({ state: 'idle', pid: null })
  const head = await log.head(sessionId)
  const onPrompt = await createTitler({ log, record, head, onRecord: hooks.onRecord })
  const outlets = createOutlets(record, deps)

  let failure: { cause: unknown } | undefined
  const onFailure = (cause: unknown): void => {
    failure ??= { cause }
    onError(cause)
    hooks.onStoreFailure()
  }
  const { budgets } = hooks
  const spent = spentBefore(record, ledger)
  const limits = budgets.open(record, { spent, onRaised: (raised) => hooks.onRecord({ raised }) })
  const publish = (event: StampedEvent): void => {
    outlets.publish(event)
    countStored(limits, event)
  }
  const options = { log, sessionId, after: head, ledger, now, publish, onFailure }
  const recorder = createSessionRecorder(options)

  let endPublished = Promise.resolve()
  const onEnd = (reason: EndReason, errorMessage: string | undefined): void => {
    endPublished = recorder.settled().then(() => outlets.ended(reason, errorMessage))
  }
  const session = createSession(
    {
      ...sessionDeps(record, deps, hooks, recorder),
      onPrompt,
      onEnd,
      limits,
      ...defined({ lineTap: outlets.lineTap }),
    },
    { ...sessionStart(record, head, ledger, hooks), queued: await queuedMessages(log, sessionId) },
  )
  const idleTimer = createIdleTimer({
    ms: deps.idleMs,
    now,
    settled: recorder.settled,
    run() {
      // The end of a run that is in progress restarts the timer.
      if (session.isBusy()) return
      // Outside a run, an extension of the agent may wait for an answer, or a task may work.
      if (session.canUnload()) hooks.onIdle()
      else idleTimer.touch()
    },
  })
  outlets.connect(session, idleTimer.touch)

  /** Closes the run in the log, which may work again by now. If not, that is done later. */
  const closeFailed = async (reason: InterruptReason): Promise<void> => {
    try {
      await closeInterrupted(record, deps, reason)
    } catch (cause) {
      hooks.unclosedRuns.add(sessionId, reason)
      onError(cause)
    }
  }

  return {
    session,
    touch: idleTimer.touch,
    lastActive: idleTimer.lastActive,
    async close(reason) {
      idleTimer.stop()
      await session.unload(reason)
      await recorder.close(reason === 'stopped')
      limits.close()
      await endPublished
      // Where another node owns the session by now, that one closes the run.
      if (failure && !isFenced(failure.cause)) await closeFailed(storeFailure(failure.cause))
    },
  }
}

const isFenced = (cause: unknown): boolean => cause instanceof LogFault && cause.code === 'fenced'

/** Where a session’s stored events go: to `publish`, to the bus, and back to the session’s parts. */
const createOutlets = (record: SessionRecord, deps: RegistryDeps) => {
  const { bus, now, onError } = deps
  const publisher = bus && createSessionPublisher(bus, record)
  const guarded = catchErrors(onError)
  let notifyParts: (event: StampedEvent) => void = () => {}

  return {
    publish(event: StampedEvent): void {
      guarded(() => deps.publish?.(event))
      guarded(() => publisher?.publish(event))
      notifyParts(event)
    },
    ...defined({ lineTap: publisher?.lineTap }),
    ended(reason: EndReason, errorMessage: string | undefined): void {
      // The end of a removed session is published when it has been removed.
      if (reason !== 'removed') guarded(() => publisher?.ended(now(), reason, errorMessage))
    },
    /** Requests approvals on the bus from now on, and reports the ends of runs. */
    connect({ pendingApprovals, answer, eventStored }: OwnedSession, onRunEnd: () => void): void {
      const isOpen = (id: string) => pendingApprovals().some(({ approvalId }) => approvalId === id)
      const requester =
        bus && createApprovalRequester({ bus, record, now, isOpen, answer, onError })
      notifyParts = (event) => {
        if (event.type === 'agent_end') onRunEnd()
        eventStored(event)
        requester?.onEvent(event)
      }
    },
  }
}

const sessionDeps = (
  record: SessionRecord,
  deps: RegistryDeps,
  hooks: LoadHooks,
  recorder: SessionRecorder,
): SessionDeps => ({
  id: record.id,
  agent: hooks.agent,
  program() {
    // Again: links may lead elsewhere by now, and older sessions were never checked.
    refuseOverlap(record.cwd, deps.data)
    return findProgramOf(hooks.agent, deps)
  },
  cwd: record.cwd,
  startInProject: () => deps.trust.start(hooks.agent, findProgramOf(hooks.agent, deps), record.cwd),
  recorder,
  isWorkRefused: () => deps.log.status().state !== 'ok',
  commands: deps.log.commands,
  checkLog: () => requireWritable(deps.log),
  onError: deps.onError,
  now: deps.now,
  requestApprovals: true,
  rules: hooks.rules,
  makeRoom: hooks.makeRoom,
  onRecord: hooks.onRecord,
  onAction: (done) => deps.recordAction({ ...done, sessionId: record.id }),
  onCheckpoint: recorder.checkpoint,
  ...defined({
    env: deps.env,
    approvalMs: deps.approvalMs,
    sandbox: deps.sandbox,
    markKey: deps.markKey,
    defaultActor: deps.defaultActor,
    workedMs: record.workedMs,
  }),
})

/** What a session has used when it is loaded. */
const spentBefore = ({ workedMs = 0 }: SessionRecord, ledger: Ledger): Spent => {
  const totals = ledger.totals()
  return { costUsd: totals.costUsd ?? 0, tokens: allTokens(totals), durationMs: workedMs }
}

/** Notes what the log has of the session’s usage. */
const countStored = (limits: OpenLimits, event: StampedEvent): void => {
  if (event.type === 'usage_update') {
    const { totals } = event
    limits.stored({ costUsd: totals.costUsd ?? 0, tokens: allTokens(totals), durationMs: 0 })
  } else if (event.type === 'agent_end') limits.runEnded()
}

const sessionStart = (
  record: SessionRecord,
  head: number,
  ledger: Ledger,
  { arrival }: Pick<LoadHooks, 'arrival'>,
) => {
  const { model, start, nativeId, continuedNativeId } = record
  const { forkedNativeId, forkedAt, forkedFrom, forkedBefore } = record
  const forked = { forkedNativeId, forkedAt, forkedFrom, forkedBefore }
  const origin = { nativeId, continuedNativeId, ...forked, arrival }
  return { head, ledger, ...defined({ model, start, ...origin }) }
}

/** The path of an agent’s program; throws a Fault if it is not installed. */
export const findProgramOf = (
  agent: AgentDescription,
  { findProgram }: Pick<RegistryDeps, 'findProgram'>,
): string => {
  const program = findProgram(agent)
  if (program !== undefined) return program
  const { title, program: name, programVariable } = agent
  throw new Fault(
    'agent_not_found',
    `${title} is not installed. Put \`${name}\` on PATH, or set ${programVariable} to its path.`,
  )
}
