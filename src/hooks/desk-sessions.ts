import { setTimeout as delay } from 'node:timers/promises'
import type { HookMessage } from '../agents/hooks.ts'
import { knownAgent, readerOfAgent } from '../agents/known-agents.ts'
import type { AgentEvent } from '../events/types.ts'
import type { RuleBook } from '../session/rules/rule-book.ts'
import { createSessionRules } from '../session/rules/session-rules.ts'
import type { WatchedSession } from '../watch/watched-session.ts'
import type { WatchedSessions } from '../watch/watched-sessions.ts'
import { type CallBook, createCallBook } from './call-book.ts'
import type { HookSender } from './read-hook.ts'
import { createTerminalQuestions, type TerminalQuestions } from './terminal-questions.ts'

/** The sessions whose hooks have sent something lately. */
export interface DeskSessions {
  /** What is known of a session. */
  of(message: HookMessage, sender: HookSender): DeskSession
  /** The questions of a session that has some, by its id here. */
  find(sessionId: string): TerminalQuestions | undefined
  /** The questions of all sessions that have some. */
  all(): TerminalQuestions[]
  /**
   * Runs work with the questions of a session, which is open as long as that takes. Undefined: the session
   * is none that asks here, such as one that Sluice runs itself.
   */
  use(
    message: HookMessage,
    sender: HookSender,
    work: (questions: TerminalQuestions | undefined) => Promise<void>,
  ): Promise<void>
}

export interface DeskSessionsOptions {
  watched: Pick<WatchedSessions, 'open'>
  rules: RuleBook
  now(): number
  onError(cause: unknown): void
}

/** A session whose hooks have sent something lately. */
export interface DeskSession {
  readonly calls: CallBook
  /** How many hooks wait. */
  waiting: number
  terminal?: Promise<OpenTerminal | undefined>
}

interface OpenTerminal {
  session: WatchedSession
  questions: TerminalQuestions
}

const maxSessions = 500

export const createDeskSessions = (options: DeskSessionsOptions): DeskSessions => {
  const sessions = new Map<string, DeskSession>()
  const open = new Map<string, OpenTerminal>()

  const sessionOf: DeskSessions['of'] = ({ nativeId }, { agent }) => {
    const key = `${agent}\n${nativeId}`
    const found = sessions.get(key) ?? { calls: createCallBook(), waiting: 0 }
    sessions.delete(key)
    sessions.set(key, found) // the one that was used last comes last
    for (const [oldest, { waiting }] of sessions)
      if (sessions.size > maxSessions && waiting === 0) sessions.delete(oldest)
    return found
  }
  /** Lets go of a session without questions: its events need no memory then. */
  const release = async (entry: DeskSession): Promise<void> => {
    const { terminal } = entry
    if (entry.waiting > 0) return
    delete entry.terminal
    const opened = await terminal?.catch(() => undefined)
    if (!opened) return
    const { id } = opened.session
    if (open.get(id) === opened) open.delete(id)
    await opened.session.release()
  }

  return {
    of: sessionOf,
    find: (sessionId) => open.get(sessionId)?.questions,
    all: () => [...open.values()].map(({ questions }) => questions),
    async use(message, sender, work) {
      const entry = sessionOf(message, sender)
      entry.waiting += 1
      try {
        entry.terminal ??= openTerminal(message, sender, entry.calls, options)
        const opened = await entry.terminal
        if (opened) open.set(opened.session.id, opened)
        await work(opened?.questions)
      } finally {
        entry.waiting -= 1
        await release(entry)
      }
    },
  }
}

const openTerminal = async (
  message: HookMessage,
  sender: HookSender,
  calls: CallBook,
  { watched, rules: book, now, onError }: DeskSessionsOptions,
): Promise<OpenTerminal | undefined> => {
  const session = await openWatched(watched, message, sender.agent)
  if (!session) return undefined
  const { id: sessionId } = session
  let hasFailed = false
  const emit = (event: AgentEvent): void => {
    if (hasFailed) return
    session.append([{ events: [event] }]).catch((cause: unknown) => {
      hasFailed = true
      onError(cause)
      // Nobody could see a question that is not stored.
      questions.withdrawAll('The question could not be stored.')
    })
  }
  const agent = await readerOfAgent(sender.agent)?.load()
  // What the server allows without a question holds for agents in its sandbox, not for these.
  const how = { book, mode: 'ask', sessionId, cwd: message.cwd, onError } as const
  const questions = createTerminalQuestions({
    ...{ sessionId, now, emit, hooks: sender.hooks, calls },
    canRewrite: knownAgent(sender.agent)?.capabilities.rewrite === true,
    ...(agent && { rules: createSessionRules({ ...how, agent }) }),
  })
  return { session, questions }
}

/** How often a session is tried that might be one of Sluice, whose agent is just starting. */
const tries = 8
const betweenTriesMs = 250

const openWatched = async (
  watched: DeskSessionsOptions['watched'],
  { nativeId, cwd, transcriptPath }: HookMessage,
  agent: string,
): Promise<WatchedSession | undefined> => {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const opened = await watched.open({ agent, nativeId, cwd, file: transcriptPath })
    if (typeof opened !== 'string') return opened
    if (opened !== 'starting' && opened !== 'elsewhere') return undefined
    await delay(betweenTriesMs)
  }
  return undefined
}
