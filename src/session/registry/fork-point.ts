import type { Agent } from '../../agents/agent.ts'
import type { ForkPoint } from '../../agents/live.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { EventStore } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { messageText } from '../conversation/deliveries.ts'

/** What a copy that ends before a message is made of. Empty: nothing came before the message. */
export interface CopySource {
  forkedNativeId?: string
  forkedAt?: string
}

interface Deps {
  log: Pick<EventStore, 'read'>
  agent: Agent
  /** The points that the agent itself lists. */
  listPoints(): Promise<ForkPoint[]>
}

/** Finds where a copy must end that ends before a message. Throws a fault if that is not possible. */
export const findForkPoint = async (
  record: SessionRecord,
  messageId: string,
  { log, agent, listPoints }: Deps,
): Promise<CopySource> => {
  const history = await readHistory(log, record.id)
  const message = history.find(({ id }) => id === messageId)
  if (!message) throw new Fault('no_fork_point', `The session has no message ${messageId}.`)
  if (!message.startsRun)
    throw new Fault(
      'no_fork_point',
      'The message was sent into a run. Choose the message that started the run.',
    )
  if (agent.live?.forkPoints === 'requested') {
    const forkedAt = pointOf(history, message, await listPoints())
    if (forkedAt === undefined) throw new Fault('no_fork_point', notFound(agent))
    return { ...defined({ forkedNativeId: record.nativeId }), forkedAt }
  }
  if (message === history[0]) return sourceOfCopy(record)
  if (!message.before) throw new Fault('no_fork_point', notFound(agent))
  return message.before
}

const notFound = ({ title }: Agent): string =>
  `${title} has no point before this message that a copy could end at.`

/** What the first message of a session continues. */
const sourceOfCopy = ({ forkedFrom, forkedBefore, forkedNativeId, forkedAt }: SessionRecord) => {
  if (forkedFrom !== undefined && forkedBefore === undefined)
    throw new Fault(
      'no_fork_point',
      `The session begins with this message. Fork session ${forkedFrom} instead.`,
    )
  return defined({ forkedNativeId, forkedAt })
}

/** A message of the user. */
interface UserMessage {
  id: string
  text: string
  /** Whether it started a run. */
  startsRun: boolean
  /** The point before it; undefined if it is unknown. */
  before: CopySource | undefined
}

const readHistory = async (log: Deps['log'], sessionId: string): Promise<UserMessage[]> => {
  const said: UserMessage[] = []
  /** Messages that never reached the agent. */
  const lost = new Set<string>()
  let nativeId: string | undefined
  let before: CopySource | undefined
  let isRunNew = false
  /** Whether the agent has answered in this run. */
  let hasAnswered = false
  const note = (event: StampedEvent): void => {
    if (event.type === 'session_start' || event.type === 'session_update')
      nativeId = event.nativeId ?? nativeId
    else if (event.type === 'agent_start') {
      isRunNew = true
      hasAnswered = false
    } else if (event.type === 'turn_start') hasAnswered = true
    else if (event.type === 'compaction_end') before = undefined
    else if (event.type === 'agent_end') {
      const { forkPoint: forkedAt } = event
      if (forkedAt !== undefined && nativeId !== undefined)
        before = { forkedNativeId: nativeId, forkedAt }
      else if (hasAnswered) before = undefined
    } else if (isSaid(event)) {
      const text = messageText(event)
      said.push({ id: event.messageId, text, startsRun: isRunNew, before })
      isRunNew = false
    } else if (event.type === 'message_delivery' && event.state === 'failed')
      lost.add(event.messageId)
  }
  for await (const event of log.read(sessionId, 0)) note(event)
  return said.filter(({ id }) => !lost.has(id))
}

const isSaid = (event: StampedEvent): event is Said =>
  event.type === 'message_end' &&
  event.message.role === 'user' &&
  event.parentToolCallId === undefined &&
  !event.message.synthetic

type Said = Extract<StampedEvent, { type: 'message_end' }>

/**
 * The agent lists its messages in order, without our ids. It may have some from before a copy was made,
 * and it may lack some that never reached it. So both lists are compared from their ends.
 */
const pointOf = (
  said: readonly UserMessage[],
  wanted: UserMessage,
  points: readonly ForkPoint[],
): string | undefined => {
  let left = [...points]
  for (const message of said.toReversed()) {
    const equal = left.findLastIndex(({ text }) => text === message.text)
    // Attached files are a part of the text that the agent has.
    const isLast = message.text !== '' && left.at(-1)?.text.includes(message.text) === true
    const index = equal < 0 && isLast ? left.length - 1 : equal
    if (message === wanted) return left[index]?.id
    if (index >= 0) left = left.slice(0, index)
  }
  return undefined
}
