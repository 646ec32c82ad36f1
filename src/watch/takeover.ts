import { agentTitle } from '../agents/known-agents.ts'
import type { Presence } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import { unknownSession } from '../log/log-fault.ts'
import type { SessionRecord } from '../log/types.ts'
import type { PresenceRegistry } from '../presence/presence.ts'
import type { Sessions } from '../session/registry/sessions.ts'
import { Fault } from '../shared/fault.ts'
import { presenceQueryOf } from './presence-query.ts'
import type { WatchedSessions } from './watched-sessions.ts'

export interface ContinueOptions {
  /** A person says that no other program works in the session, where this machine does not say it. */
  confirmed?: boolean | undefined
  /** The key that the session counts for. */
  creatorId?: string | undefined
}

/** Continues sessions that began outside Sluice. */
export interface Takeover {
  /**
   * Makes Sluice run the agent of a watched session: its next prompt resumes the agent’s conversation.
   * Rejects with a `Fault` while the agent’s own process lives, because two processes that write to one
   * conversation damage it.
   */
  continue(id: string, options?: ContinueOptions): Promise<SessionRecord>
}

interface TakeoverOptions {
  log: Log
  watched: Pick<WatchedSessions, 'adopt'>
  presence: Pick<PresenceRegistry, 'find'>
  sessions: Pick<Sessions, 'checkStart'>
}

export const createTakeover = ({
  log,
  watched,
  presence,
  sessions,
}: TakeoverOptions): Takeover => ({
  async continue(id, { confirmed = false, creatorId } = {}) {
    const record = await log.sessions.get(id)
    if (!record || record.removedAt !== undefined) throw unknownSession(id)
    const query = presenceQueryOf(record)
    // A session that Sluice runs is refused below.
    if (query) {
      await sessions.checkStart(record)
      const refusal = refusalFor(record, await presence.find(query), confirmed)
      if (refusal) throw refusal
    }
    return watched.adopt(id, { creatorId })
  },
})

const refusalFor = (
  { agent, cwd }: SessionRecord,
  { state, pid }: Presence,
  confirmed: boolean,
): Fault | undefined => {
  if (state === 'gone') return undefined
  const title = agentTitle(agent)
  if (state !== 'unknown') return new Fault('agent_running', runningMessage(title, pid))
  return confirmed ? undefined : new Fault('presence_unknown', unknownMessage(title, pid, cwd))
}

const runningMessage = (title: string, pid: number | undefined): string => {
  const process = pid === undefined ? 'A process' : `Process ${pid}`
  return `${process} of ${title} still works in this session. End it where it runs, then continue here: two programs that write to one conversation damage it.`
}

const unknownMessage = (title: string, pid: number | undefined, cwd: string): string =>
  pid === undefined
    ? `It is not known whether ${title} still works in this session. Make sure that it has ended, and confirm that.`
    : `Process ${pid} of ${title} runs in ${cwd} and may work in this session. End it, or confirm that it works in another one.`
