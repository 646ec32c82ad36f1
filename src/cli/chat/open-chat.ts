import type { SessionRecord } from '../../log/types.ts'
import type { Session } from '../../session/conversation/session.ts'
import { Fault } from '../../shared/fault.ts'
import type { OpenData } from '../data.ts'
import { resultMessage } from './outcome.ts'

export interface ChatPlace {
  /** Pi without it. */
  agent?: string
  /** Where the agent works: here without it. */
  cwd?: string
  model?: string
  /** The session to go on with. */
  resume?: string
}

type Data = Pick<OpenData, 'sessions' | 'log'>

/** A session that is talked with. */
export interface OpenChat {
  id: string
  session: Session
}

/** The session of a chat: a new one, or one that is kept. */
export const openChat = async (data: Data, place: ChatPlace): Promise<OpenChat> => {
  if (place.resume !== undefined) return goOn(data, place.resume, place)
  const { agent = 'pi', cwd = process.cwd(), model } = place
  const { record, session } = await data.sessions.create({
    agent,
    cwd,
    ...(model !== undefined && { model }),
  })
  return { id: record.id, session }
}

/** A session keeps its agent and its directory; its model may be another from now on. */
const goOn = async ({ sessions, log }: Data, id: string, place: ChatPlace) => {
  const record = await log.sessions.get(id)
  const session = await sessions.get(id)
  if (!record || !session || record.removedAt !== undefined)
    throw new Fault('usage', `There is no session ${id}.`)
  const contradiction = contradictionOf(record, place)
  if (contradiction !== undefined) throw new Fault('usage', contradiction)
  if (place.model !== undefined) await setModel(session, place.model)
  return { id, session }
}

const contradictionOf = (record: SessionRecord, { agent, cwd }: ChatPlace): string | undefined => {
  const { id } = record
  if (agent !== undefined && agent !== record.agent)
    return `Session ${id} is one with ${record.agent}, not with ${agent}.`
  if (cwd !== undefined && cwd !== record.cwd)
    return `Session ${id} works in ${record.cwd}: with --resume, --cwd cannot be another.`
  return undefined
}

const setModel = async (session: Session, model: string): Promise<void> => {
  const asked = await session.setModel(model)
  if (asked.outcome === 'accepted') return
  throw new Fault('usage', `The model ${model} cannot be used: ${resultMessage(asked)}`)
}
