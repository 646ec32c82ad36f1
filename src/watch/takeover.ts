import { agentTitle } from '../agents/known-agents.ts'
import type { Presence } from '../events/types.ts'
import type { Log } from '../log/log.ts'
import { unknownSession } from '../log/log-fault.ts'
import type { SessionRecord } from '../log/types.ts'
import type { PresenceQuery, PresenceRegistry } from '../presence/presence.ts'
import type { Sessions } from '../session/registry/sessions.ts'
import { Fault } from '../shared/fault.ts'
import { Problem } from '../shared/problem.ts'
import type { OtherMachines } from './other-machines.ts'
import { presenceQueryOf } from './presence-query.ts'
import type { WatchedSessions } from './watched-sessions.ts'

export interface ContinueOptions {
  /** A person says that no other program works in the session, where this machine does not say it. */
  confirmed?: boolean | undefined
  /** The lost node of the session: a person confirms that its machine is gone for good, or the agent there has ended. */
  lostNode?: string | undefined
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
  /** Undefined when there is one node only. */
  machines?: OtherMachines | undefined
}

export const createTakeover = (options: TakeoverOptions): Takeover => {
  const { log, watched, sessions, machines } = options
  return {
    async continue(id, { confirmed = false, lostNode, creatorId } = {}) {
      const record = await log.sessions.get(id)
      if (!record || record.removedAt !== undefined) throw unknownSession(id)
      const query = presenceQueryOf(record)
      // A session that Sluice runs is refused below.
      if (query) {
        await sessions.checkStart(record)
        if (machines) checkMachine(record, machines, lostNode)
        for (const found of await findEverywhere(query, options)) {
          const refusal = refusalFor(record, found, confirmed)
          if (refusal) throw refusal
        }
      }
      return watched.adopt(id, { creatorId })
    },
  }
}

/** Throws a `Problem` if nobody can look at the machine of the session, or if somebody can. */
const checkMachine = (
  { watched }: SessionRecord,
  { node: self, isLiving }: OtherMachines,
  lostNode: string | undefined,
): void => {
  const { node } = watched ?? {}
  const isLost = node !== undefined && node !== self && !isLiving(node)
  if (isLost && lostNode !== node) throw machineLost(node)
  if (lostNode !== undefined && !isLost)
    throw new Problem(
      422,
      'invalid',
      `Node ${lostNode} is not the lost node of this session. Leave out \`lostNode\`.`,
    )
}

const machineLostMs = 15_000

/** The problem of a request that only a node can run which is gone. */
export const machineLost = (node: string): Problem => {
  const retryAfter = machineLostMs / 1000
  return new Problem(
    503,
    'no_owner',
    `The agent of this session runs on the machine of node ${node}, which is gone, so nobody can see whether the agent still works. Start the node again. If its machine is gone for good, or the agent there has ended, confirm that: \`sluice continue SESSION --lost-node ${node}\`, or \`lostNode\` in the API.`,
    { retryAfter, node, state: 'machine_lost' },
    { 'Retry-After': String(retryAfter) },
  )
}

/** What the agent of a session does on this machine, and on all others that share its file. */
const findEverywhere = async (
  query: PresenceQuery,
  { presence, machines }: TakeoverOptions,
): Promise<Found[]> => {
  const [here, ...others] = await Promise.all([
    presence.find(query),
    ...(machines ? [machines.findPresence(query)] : []),
  ])
  return [{ presence: here }, ...others.flat()]
}

interface Found {
  presence: Presence
  /** The node of the machine; undefined: this one. */
  node?: string
}

const refusalFor = (
  { agent, cwd }: SessionRecord,
  { presence: { state, pid }, node }: Found,
  confirmed: boolean,
): Fault | undefined => {
  if (state === 'gone') return undefined
  const title = node === undefined ? agentTitle(agent) : `${agentTitle(agent)} on node ${node}`
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
