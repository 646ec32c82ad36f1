import type { AgentEvent } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  listOf,
  numberOf,
  stringOf,
} from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import { createUsageCounter, type UsageCounter } from './app-usage.ts'
import { codexModes, modeOf } from './modes.ts'

/** What the app-server reports about the thread. */
export interface AppSession {
  id(): string | undefined
  model(): string | undefined
  cwd(): string | undefined
  /** The response to a request: the start of a thread is one, and so is the handshake. */
  response(result: Fields): void
  /** A `thread/started` notification, or the thread in a response. */
  thread(thread: Fields, settings?: Fields): void
  /** Changed settings of the thread. */
  settings(settings: Fields): void
  /** New token counts. */
  readonly usage: UsageCounter['add']
  rateLimits(limits: Fields): void
}

export const createAppSession = (emit: Emit, hasStarted: () => boolean): AppSession => {
  let id: string | undefined
  let model: string | undefined
  let cwd: string | undefined
  let version: string | undefined
  let lastLimits = ''
  const usage = createUsageCounter(emit, () => model)

  const update = (details: Partial<Extract<AgentEvent, { type: 'session_start' }>>) => {
    if (!hasStarted()) emit({ agent: 'codex', ...details, type: 'session_start' })
    else if (Object.keys(details).length > 0) emit({ ...details, type: 'session_update' })
  }

  const settings = (fields: Fields) => {
    model = stringOf(fields.model) ?? model
    const effort = stringOf(fields.effort) ?? stringOf(fields.reasoningEffort)
    update(
      defined({
        model: stringOf(fields.model),
        permissionMode: modeOf(fields),
        thinkingLevel: effort,
      }),
    )
  }

  const thread = (about: Fields, more: Fields = {}) => {
    // A subagent works in a thread of its own.
    if (id !== undefined && about.id !== id) return
    const isKnown = id !== undefined
    id = stringOf(about.id)
    cwd = stringOf(about.cwd) ?? cwd
    model = stringOf(more.model) ?? stringOf(about.model) ?? model
    const permissionMode = modeOf(more)
    if (isKnown && permissionMode === undefined) return
    update(
      defined({
        ...(isKnown ? {} : { nativeId: id, agentVersion: stringOf(about.cliVersion) ?? version }),
        ...(isKnown ? {} : { model, cwd, name: stringOf(about.name) }),
        permissionMode,
        modes: permissionMode === undefined ? undefined : [...codexModes],
        thinkingLevel: stringOf(more.reasoningEffort),
      }),
    )
  }

  return {
    id: () => id,
    model: () => model,
    cwd: () => cwd,
    response(result) {
      version = /\/(\d+\.\d+\.\d+[\w.-]*)/.exec(stringOf(result.userAgent) ?? '')?.[1] ?? version
      const about = fieldsOf(result.thread)
      if (about.id !== undefined) thread(about, result)
    },
    thread,
    settings,
    usage: usage.add,
    rateLimits(limits) {
      const text = JSON.stringify([limits.primary, limits.secondary, limits.rateLimitReachedType])
      if (text === lastLimits) return
      lastLimits = text
      for (const event of limitEvents(limits)) emit(event)
    },
  }
}

/** Codex reports two windows: a short one and a long one. */
const limitEvents = (limits: Fields): AgentEvent[] =>
  listOf([limits.primary, limits.secondary]).flatMap((value): AgentEvent[] => {
    const { usedPercent, windowDurationMins, resetsAt } = fieldsOf(value)
    const used = countOf(usedPercent)
    if (used === undefined) return []
    const minutes = countOf(windowDurationMins)
    const seconds = numberOf(resetsAt)
    const isUsedUp = stringOf(limits.rateLimitReachedType) !== undefined || used >= 100
    return [
      {
        type: 'session_update',
        rateLimit: {
          status: isUsedUp ? 'rejected' : 'allowed',
          utilization: used / 100,
          ...defined({
            kind: minutes === undefined ? undefined : `${minutes}_minutes`,
            resetsAt: seconds === undefined ? undefined : Math.round(seconds * 1000),
          }),
        },
      },
    ]
  })
