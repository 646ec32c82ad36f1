import { createStamp } from '../events/stamp.ts'
import type { Log } from '../log/log.ts'
import type { SessionRecord } from '../log/session-record.ts'
import { endOrphan } from './orphans.ts'
import { createOpenState } from './settle.ts'

const lost = 'Sluice ended while the agent was working.'

/**
 * What a server that died left behind: agents that still run are ended, open runs are closed with
 * an error, requests that waited are expired or without an agent.
 */
export const recover = async (log: Log, now: () => number): Promise<void> => {
  for (const request of await log.approvals.list({ status: 'pending' })) {
    const status = request.deadline <= now() ? 'expired' : 'agent_gone'
    await log.approvals.put({ ...request, status, action: 'deny', resolvedAt: now() })
  }
  for await (const record of unsettled(log)) await settle(log, record, now)
}

/** Sessions whose record says that an agent works or lives. */
const unsettled = async function* (log: Log): AsyncGenerator<SessionRecord> {
  let before: SessionRecord | undefined
  do {
    const page = await log.sessions.list({ withRemoved: true, before })
    for (const record of page)
      if (record.state === 'running' || record.pid !== undefined) yield record
    before = page.at(-1)
  } while (before)
}

const settle = async (log: Log, record: SessionRecord, now: () => number): Promise<void> => {
  const { id, pid, pidStartedAt } = record
  if (pid !== undefined && pidStartedAt !== undefined) endOrphan(pid, pidStartedAt)
  const open = createOpenState()
  for await (const event of log.read(id, 0)) open.push(event)
  const isCut = open.isRunning()
  const closing = open.close(lost)
  if (closing.length > 0) {
    const stamp = createStamp(id, now, await log.head(id))
    const error = { type: 'error', code: 'agent_exit', message: lost, fatal: false } as const
    await log.append(id, [...(isCut ? [error] : []), ...closing].map(stamp))
  }
  await log.sessions.update(id, {
    state: 'idle',
    pid: null,
    pidStartedAt: null,
    updatedAt: now(),
  })
}
