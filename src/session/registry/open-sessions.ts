import { knownAgent, unknownAgent } from '../../agents/known-agents.ts'
import { createAuditor, thisProgram } from '../../log/auditor.ts'
import { statusInterruption } from '../../log/interrupt-reason.ts'
import { LogFault } from '../../log/log-fault.ts'
import type { SessionRecord } from '../../log/types.ts'
import { findAgent } from '../../process/find-agent.ts'
import { markKeyOf, newMarkKey } from '../../process/process-marks.ts'
import { catchErrors } from '../../shared/catch-errors.ts'
import { projectReaders } from '../../trust/project-readers.ts'
import { createTrustedProjects } from '../../trust/trusted-projects.ts'
import { type BudgetBook, openBudgetBook } from '../budgets/budget-book.ts'
import { createSessionPublisher, type SessionPublisher } from '../bus/session-publisher.ts'
import { createMemoryProjectRules } from '../rules/project-rules.ts'
import { createRuleBook } from '../rules/rule-book.ts'
import { createSessionRules, type SessionRulesOptions } from '../rules/session-rules.ts'
import { createConversationLister } from './conversation-lister.ts'
import { createCreator, projectOf, startableAgent } from './create-session.ts'
import { createDeleteSessions } from './delete-sessions.ts'
import { createForker } from './fork-session.ts'
import { createLazySession } from './lazy-session.ts'
import {
  type LoadedSession,
  loadSession,
  type RegistryDeps,
  type UnloadHooks,
} from './load-session.ts'
import { createLoadedSessions, type LoadedSessions } from './loaded-sessions.ts'
import {
  createOwnedLoader,
  followOwners,
  requireLoadable,
  type TakenSession,
} from './owned-sessions.ts'
import { damageMessage, rebuild } from './rebuild.ts'
import { createRecordSaver } from './record-saver.ts'
import { recover } from './recover.ts'
import type { SessionLifecycleEvent, Sessions, SessionsOptions } from './sessions.ts'
import { createStateKeeper } from './state-keeper.ts'
import { createUnclosedRuns, type UnclosedRuns } from './unclosed-runs.ts'

/** Opens the sessions of a log, after closing what a server that crashed left open in it. */
export const openSessions = async (options: SessionsOptions): Promise<Sessions> => {
  const deps = withDefaults(options)
  const { log, now } = deps
  const events = createLifecycleEvents(options, deps)
  const { policy = 'ask', projectRules: projects = createMemoryProjectRules() } = options
  const rules = createRuleBook({ projects, now })
  const unclosedRuns = createUnclosedRuns()
  const budgets = await openBudgetBook({ ...deps, ...log, fixed: options.fixedBudgets })
  const loaded = createLoaded(deps, options.maxAgents ?? 16, events, {
    rules: { book: rules, mode: policy },
    unclosedRuns,
    budgets,
  })
  const stopFollowingDamage = followDamage(deps, loaded, events)
  // Streams are open already, and have read the records as they were.
  const onIdle = (session: SessionRecord) => events.notify({ type: 'session_updated', session })
  await recover({ ...deps, onIdle }, options.lastFailure)
  const stopFollowing = followStatus(deps, loaded, unclosedRuns)
  const stopFollowingOwners = followOwners({ ...deps, onIdle }, loaded)

  const deleteSessions = createDeleteSessions({
    deps,
    loaded,
    onDeleted(record) {
      rules.forget(record.id)
      events.notify({ type: 'session_removed', sessionId: record.id })
      // Otherwise `deactivate` published that already.
      if (record.removedAt === undefined) events.agentRemoved(record)
    },
  })

  const lister = createConversationLister(deps)
  const create = createCreator(deps, { loaded, events, lister })
  const get: Sessions['get'] = async (id) =>
    (await log.sessions.get(id)) && createLazySession(id, loaded, log)
  return {
    rules,
    policy,
    budgets,
    create,
    checkStart: async (wanted) => void (await startableAgent(deps, wanted)),
    conversations: lister.list,
    fork: createForker(deps, { create, get }),
    get,
    list: log.sessions.list,
    async deactivate(id) {
      const record = await log.sessions.get(id)
      await loaded.unload(id, 'removed')
      if (record) events.agentRemoved(record)
    },
    ...deleteSessions,
    idle: loaded.idle,
    kill: loaded.kill,
    async close() {
      stopFollowing()
      stopFollowingDamage()
      stopFollowingOwners?.()
      await Promise.all([loaded.close(), lister.close()])
      await budgets.close().catch(deps.onError)
    },
  }
}

/** Reports damage, makes again what can be, and puts damaged sessions out of use. */
const followDamage = (
  { log, onError }: RegistryDeps,
  loaded: LoadedSessions,
  events: LifecycleEvents,
): (() => void) => {
  const quarantine = async (id: string): Promise<void> => {
    const session = await log.sessions.get(id)
    if (session) events.notify({ type: 'session_updated', session })
    await loaded.unload(id, 'stopped')
  }
  return log.damage.subscribe((damage) => {
    onError(new LogFault('damaged', damageMessage(damage)))
    void rebuild(log, damage).catch(onError)
    if (damage.kind === 'session') void quarantine(damage.id).catch(onError)
  })
}

const withDefaults = (options: SessionsOptions): RegistryDeps => {
  const { now = Date.now, onError = warn, findProgram = findAgent } = options
  const { idleMs = 15 * 60 * 1000, agentOf = tableAgent } = options
  const { defaultActor: program = thisProgram } = options
  const recordAction = createAuditor({ audit: options.log.audit, program, now, onError })
  const trust = createTrustedProjects({ log: options.log, agents: projectReaders, now })
  const markKey = options.data === undefined ? newMarkKey() : markKeyOf(options.data)
  return { ...options, now, onError, findProgram, agentOf, idleMs, recordAction, trust, markKey }
}

const warn = (cause: unknown): void =>
  process.emitWarning(cause instanceof Error ? cause : String(cause))

type LifecycleEvents = ReturnType<typeof createLifecycleEvents>

/** Reports what happens to sessions as a whole, to the listener and on the bus. */
const createLifecycleEvents = (
  { onSession }: Pick<SessionsOptions, 'onSession'>,
  { bus, now, onError }: RegistryDeps,
) => {
  const guarded = catchErrors(onError)
  const notify = (event: SessionLifecycleEvent): void => guarded(() => onSession?.(event))
  const publish = (record: SessionRecord, run: (publisher: SessionPublisher) => void): void =>
    guarded(() => bus && run(createSessionPublisher(bus, record)))

  return {
    notify,
    created(record: SessionRecord): void {
      notify({ type: 'session_created', session: record })
      publish(record, (publisher) => publisher.created(record))
    },
    agentRemoved: (record: SessionRecord): void =>
      publish(record, (publisher) => publisher.ended(now(), 'removed')),
  }
}

/** Stops the agents when the log cannot store their events, and closes their runs when it can. */
const followStatus = (
  { log, onError }: RegistryDeps,
  loaded: LoadedSessions,
  unclosedRuns: UnclosedRuns,
): (() => void) => {
  /** To load a session is to close its run. */
  const closeRuns = (report: (cause: unknown) => void): void => {
    for (const id of unclosedRuns.sessionIds()) loaded.get(id).catch(report)
  }
  // Not every full disk shows in the status. The first failure was reported.
  const retry = setInterval(() => {
    if (log.status().state === 'ok') closeRuns(() => {})
  }, closeAgainMs).unref()
  const stop = log.onStatus((status) => {
    if (status.state === 'failed') return loaded.kill()
    // Agents go on: what they do is stored when the cluster is back.
    if (status.state === 'unreachable') return
    if (status.state !== 'ok')
      return void loaded.interrupt(statusInterruption(status)).catch(onError)
    closeRuns(onError)
    loaded.sendWaiting()
  })
  return () => {
    clearInterval(retry)
    stop()
  }
}

/** How often runs are closed again whose end could not be stored. */
const closeAgainMs = 3000

const createLoaded = (
  deps: RegistryDeps,
  maxAgents: number,
  events: LifecycleEvents,
  {
    rules,
    ...more
  }: {
    rules: Pick<SessionRulesOptions, 'book' | 'mode'>
    unclosedRuns: UnclosedRuns
    budgets: BudgetBook
  },
): LoadedSessions => {
  const { log, now, onError } = deps

  const { ownership, history } = deps
  const { onRecord, saved, isSaving } = createRecordSaver({
    ...{ log, now, ownership, onError },
    onSaved: (session) => events.notify({ type: 'session_updated', session }),
  })
  const states =
    ownership && createStateKeeper({ log, ownership, isSaving, save: onRecord, onError })

  const load = async (
    id: string,
    hooks: UnloadHooks,
    taken: TakenSession,
  ): Promise<LoadedSession> => {
    const record = await requireLoadable(log, id)
    const agent = await (await deps.agentOf(record.agent, projectOf(record))).load()
    return loadSession(record, deps, {
      ...hooks,
      ...more,
      ...{ ...taken, agent },
      rules: createSessionRules({ ...rules, sessionId: id, cwd: record.cwd, agent, onError }),
      onRecord(change) {
        states?.changed(id, change)
        onRecord(id, change)
      },
    })
  }

  const loaded = createLoadedSessions({
    maxAgents,
    onError,
    markKey: deps.markKey,
    load:
      ownership && states
        ? createOwnedLoader({ log, ownership, history, onError, load, saved, states })
        : (id, hooks) => load(id, hooks, {}),
  })
  return {
    ...loaded,
    async close() {
      await loaded.close()
      states?.close()
    },
  }
}

const tableAgent: RegistryDeps['agentOf'] = async (name) => {
  const entry = knownAgent(name)
  if (!entry) throw unknownAgent(name)
  return entry
}
