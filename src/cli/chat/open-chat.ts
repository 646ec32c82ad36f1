import { raisedOfOthers } from '../../budget/limits.ts'
import type { SessionBudget, StartOptions } from '../../events/types.ts'
import type { SessionRecord } from '../../log/types.ts'
import type { Session } from '../../session/conversation/session.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import type { Sluice } from '../../sluice/sluice.ts'
import { openWorktree } from '../prepare-start.ts'
import { resultMessage } from './result-message.ts'

export interface ChatTarget {
  /** Default: pi. */
  agent?: string
  /** The directory to work in. Default: the current one. */
  cwd?: string
  model?: string
  /** A stored session to continue: its id, the beginning of it, or its name. */
  resume?: string
  /** Continues the session of the directory that was used last. */
  continue?: boolean
  /** Limits of the session. */
  budget?: SessionBudget | undefined
  /** How the agent of a new session starts. */
  start?: StartOptions | undefined
  /** Works in a new git worktree. */
  worktree?: boolean | undefined
}

type Data = Pick<Sluice, 'sessions' | 'log'>

/** The session of a chat. */
export interface OpenChat {
  record: SessionRecord
  session: Session
}

/** Creates the session of a chat, or finds the stored one. */
export const openChat = async (data: Data, target: ChatTarget): Promise<OpenChat> => {
  if (target.resume !== undefined) return resumeSession(data, target.resume, target)
  const { agent = 'pi', cwd = process.cwd(), model, budget, start, worktree } = target
  const place = worktree ? await openWorktree(cwd) : { cwd }
  const { record, session } = await data.sessions.create({
    agent,
    ...place,
    ...defined({ model, budget, start }),
  })
  return { record, session }
}

/** A stored session keeps its agent and directory; only the model and the limits can change. */
const resumeSession = async (
  { sessions, log }: Data,
  id: string,
  target: ChatTarget,
): Promise<OpenChat> => {
  refuseStart(target)
  const record = await log.sessions.get(id)
  const session = await sessions.get(id)
  if (!record || !session || record.removedAt !== undefined)
    throw new Fault(
      'usage',
      `Session ${id} does not exist. List the stored sessions with: sluice sessions`,
    )
  checkTarget(record, target)
  if (target.model !== undefined) await setModel(session, target.model)
  if (target.budget) {
    const raised = raisedOfOthers(record.raised)
    await log.sessions.update(id, { budget: target.budget, raised })
    sessions.budgets.setOwn(id, target.budget)
  }
  return { record, session }
}

/** Only a new session can start in another way. Throws a fault otherwise. */
export const refuseStart = ({ start, worktree }: ChatTarget): void => {
  if (start || worktree)
    throw new Fault('usage', 'Options such as --mode and --worktree are for new sessions.')
}

/** A session keeps its agent and its directory. Throws a fault when another one is wanted. */
export const checkTarget = (
  record: Pick<SessionRecord, 'id' | 'agent' | 'cwd'>,
  target: ChatTarget,
): void => {
  const conflict = conflictOf(record, target)
  if (conflict !== undefined) throw new Fault('usage', conflict)
}

const conflictOf = (
  record: Pick<SessionRecord, 'id' | 'agent' | 'cwd'>,
  { agent, cwd }: ChatTarget,
): string | undefined => {
  const { id } = record
  if (agent !== undefined && agent !== record.agent)
    return `Session ${id} belongs to ${record.agent}, not to ${agent}. Leave out the agent.`
  if (cwd !== undefined && cwd !== record.cwd)
    return `Session ${id} works in ${record.cwd}. Leave out --cwd, or start a new session.`
  return undefined
}

const setModel = async (session: Session, model: string): Promise<void> => {
  const result = await session.setModel(model)
  if (result.outcome === 'accepted') return
  throw new Fault('usage', `Cannot switch to the model ${model}: ${resultMessage(result)}`)
}
