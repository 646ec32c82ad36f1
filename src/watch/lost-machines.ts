import type { AgentEvent } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import type { ApprovalRecord, SessionRecord } from '../log/types.ts'
import { defined } from '../shared/fields.ts'
import type { OtherMachines } from './other-machines.ts'
import type { WatchedSessions } from './watched-sessions.ts'

export interface LostMachinesOptions {
  log: Log
  watched: Pick<WatchedSessions, 'open'>
  machines: OtherMachines
  /** How often nodes that are gone are looked for. Default: 2 seconds. */
  pollMs?: number
  onError(cause: unknown): void
}

/** The most sessions that are looked at, those that were used last. */
const maxSessions = 2000

/**
 * When a node is lost, nobody knows what the agents on its machine do. This withdraws their questions, and
 * shows their sessions as unknown. Of several nodes, one does it. Returns how to end that.
 */
export const followLostMachines = (options: LostMachinesOptions): (() => Promise<void>) => {
  const { log, machines, pollMs = 2000, onError } = options
  let isDue = true
  let working = Promise.resolve()
  let isClosed = false

  const look = async (): Promise<void> => {
    if (isClosed || !isDue || !machines.isHousekeeper()) return
    isDue = false
    let failure: Error | undefined
    const pending = await log.approvals.list({ status: 'pending' })
    for (const record of await log.sessions.list({ limit: maxSessions })) {
      const { id, watched, removedAt } = record
      if (isClosed || !watched || removedAt !== undefined || isKnown(machines, watched.node))
        continue
      const questions = pending.filter(({ sessionId }) => sessionId === id)
      if (questions.length === 0 && !isLive(record)) continue
      // The node may be back by now, or another one is closing what it left.
      try {
        if (!(await closeLost(record, questions, options))) isDue = true
      } catch (cause) {
        // One session that cannot be closed must not keep the others open.
        failure ??= new Error(`Session ${id} of a lost node stays open.`, { cause })
      }
    }
    if (failure) throw failure
  }
  const check = (): void => {
    working = working.then(look).catch((cause: unknown) => {
      isDue = true
      onError(cause)
    })
  }
  const stop = machines.onChange(() => {
    isDue = true
  })
  const timer = setInterval(check, pollMs).unref()
  return async () => {
    isClosed = true
    stop()
    clearInterval(timer)
    await working
  }
}

const isKnown = (machines: OtherMachines, node: string | undefined): boolean =>
  node !== undefined && (node === machines.node || machines.isLiving(node))

const isLive = ({ watched }: SessionRecord): boolean => {
  const { state = 'gone' } = watched?.presence ?? {}
  return state !== 'gone' && state !== 'unknown'
}

/** Returns whether it could be done. */
const closeLost = async (
  record: SessionRecord,
  questions: readonly ApprovalRecord[],
  { watched, machines }: LostMachinesOptions,
): Promise<boolean> => {
  const { agent, cwd, watched: from } = record
  if (!from) return true
  const session = await watched.open({ agent, cwd, nativeId: from.nativeId })
  if (typeof session === 'string') return session !== 'elsewhere'
  try {
    if (isKnown(machines, from.node)) return true
    const events = questions.map((question) => withdrawn(question, from.node))
    if (events.length > 0) await session.append([{ events }], { isLost: true })
    await session.update({ presence: { state: 'unknown' } })
    return true
  } finally {
    await session.release()
  }
}

const withdrawn = (
  { approvalId, toolCallId }: ApprovalRecord,
  node = 'of its machine',
): AgentEvent => ({
  ...{ type: 'approval_resolved', approvalId, action: 'deny', outcome: 'expired', by: 'sluice' },
  ...defined({ toolCallId }),
  message: `Node ${node} was lost while this waited. The agent asks in its terminal.`,
})
