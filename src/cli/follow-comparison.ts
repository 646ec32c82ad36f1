import { setTimeout as pause } from 'node:timers/promises'
import type { ComparedSession, Comparison, SessionInfo } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import { defined } from '../shared/fields.ts'
import { comparisonRow } from './comparison-text.ts'
import { shortId } from './find-session.ts'
import { createLiveRows, type LiveRows } from './live-rows.ts'
import type { RunApproval } from './remote/run-on-server.ts'
import type { StopSignals } from './signals.ts'
import type { Terminal } from './terminal.ts'

export interface FollowComparisonOptions {
  approve: RunApproval
  /** Prints nothing while the agents work. */
  isQuiet: boolean
  terminal: Terminal
  signals: StopSignals
}

const pollMs = 500
/** How long agents have to stop. */
const stopMs = 5000
/** Changes are read by git, so less often. */
const changesMs = 2000

/** Shows what the agents do until all are done. Returns the signal that stopped them. */
export const followComparison = async (
  client: Client,
  { id, agents }: Comparison,
  options: FollowComparisonOptions,
): Promise<NodeJS.Signals | undefined> => {
  const { approve, signals } = options
  let stopped: NodeJS.Signals | undefined
  let isOver = false
  let stopUntil = 0
  void signals.second.then(() => {
    isOver = true
  })
  const view = createView(client, id, agents.length, options)
  const refused = new Set(agents.filter(({ problem }) => problem).map((each) => each.session.id))
  try {
    while (!isOver) {
      const { sessions } = await client.sessions.list({ comparisonId: id })
      await answerAll(client, approve, sessions)
      await view.show(sessions.toReversed())
      if (sessions.every((session) => refused.has(session.id) || isDone(session))) break
      if (stopped !== undefined) {
        // Agents that do not stop are ended with this process, or go on at the server.
        isOver ||= Date.now() > stopUntil
        await pause(pollMs)
        continue
      }
      stopped = (await Promise.race([signals.first, pause(pollMs)])) ?? undefined
      if (stopped === undefined) continue
      stopUntil = Date.now() + stopMs
      await Promise.all(sessions.map((session) => client.sessions.abort(session.id)))
    }
  } finally {
    view.close()
  }
  return stopped
}

const isDone = ({ state, seq = 0 }: SessionInfo): boolean => state !== 'running' && seq > 0

/** Answers what the agents ask, as `--approve` says. With `ask`, people answer elsewhere. */
const answerAll = async (
  client: Client,
  approve: RunApproval,
  sessions: readonly SessionInfo[],
): Promise<void> => {
  if (approve === 'ask') return
  for (const { id } of sessions) {
    for (const { approvalId, hash } of await client.approvals.list({ sessionId: id }))
      await client.approvals.answer(approvalId, {
        action: approve,
        ...(hash !== undefined && { hash }),
      })
  }
}

/** What is on the screen while the agents work. */
interface View {
  show(sessions: readonly SessionInfo[]): Promise<void>
  close(): void
}

/** One line for each agent, which changes in place. Without a screen, a line for each change of state. */
const createView = (
  client: Client,
  id: string,
  count: number,
  { approve, isQuiet, terminal }: FollowComparisonOptions,
): View => {
  if (isQuiet) return { show: async () => {}, close() {} }
  const rows = createLiveRows(terminal, count)
  return rows ? createLiveView(client, id, { rows, approve }) : createLineView(terminal)
}

const createLineView = (terminal: Terminal): View => {
  const shown = new Map<string, string>()
  return {
    async show(sessions) {
      for (const session of sessions) {
        const state = stateOf(session)
        const step = `${state} ${session.activity?.kind}`
        if (shown.get(session.id) === step) continue
        shown.set(session.id, step)
        terminal.write(`${comparisonRow({ session, state })}\n`)
      }
      await terminal.flush()
    },
    close() {},
  }
}

interface LiveViewParts {
  rows: LiveRows
  approve: RunApproval
}

const createLiveView = (client: Client, id: string, { rows, approve }: LiveViewParts): View => {
  const startedAt = Date.now()
  let changes: readonly ComparedSession[] = []
  let changesAt = startedAt
  return {
    async show(sessions) {
      if (Date.now() > changesAt + changesMs) {
        changes = (await client.comparisons.get(id)).agents
        changesAt = Date.now()
      }
      const lines = sessions.map((session) => {
        const state = stateOf(session)
        const isWaiting = state === 'approval' && approve === 'ask'
        const { files, additions, deletions } = changes.find(isOf(session)) ?? {}
        const workedMs = session.workedMs ?? (isDone(session) ? undefined : Date.now() - startedAt)
        return comparisonRow({
          ...{ session: { ...session, workedMs }, state },
          ...defined({ files, additions, deletions }),
          ...(isWaiting && { problem: `To answer: sluice attach ${shortId(session.id)}` }),
        })
      })
      rows.show(lines)
    },
    close: rows.remove,
  }
}

const isOf =
  ({ id }: SessionInfo) =>
  ({ session }: ComparedSession): boolean =>
    session.id === id

const stateOf = (session: SessionInfo): ComparedSession['state'] => {
  const kind = session.activity?.kind
  if (kind === 'failed' || kind === 'approval') return kind
  if (session.state === 'running') return 'running'
  return isDone(session) ? 'done' : 'not_started'
}
