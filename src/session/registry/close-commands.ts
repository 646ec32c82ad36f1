import type { AgentEvent, Queued, StampedEvent } from '../../events/types.ts'
import { auditEntryOf } from '../../log/auditor.ts'
import type { Log } from '../../log/log.ts'
import type { CommandRecord } from '../../log/types.ts'
import { defined } from '../../shared/fields.ts'
import { authorName } from '../conversation/authors.ts'
import type { UnconfirmedMessages } from '../conversation/interrupted-messages.ts'
import { lostMessagesNotice, stillQueuedNotice } from '../conversation/notices.ts'
import { itemOf, queuedOf, queueSize } from '../conversation/queue.ts'
import type { AcceptedMessage } from '../conversation/receipts.ts'

/** The messages that wait in a session’s queue, in the order in which they are sent. */
export const queuedMessages = async (log: Log, sessionId: string): Promise<AcceptedMessage[]> => {
  const commands = await log.commands.list(sessionId)
  return inQueue(commands).map(messageOf)
}

/** What the commands of a session say that its events do not. */
export interface OpenCommands {
  /** Adds an event of the session, in order. */
  push(event: StampedEvent): void
  /** Messages that may have reached the agent, and that it has not confirmed. */
  unconfirmed(): UnconfirmedMessages
  /** The events that correct the queue which the events show. */
  queueEvents(): AgentEvent[]
  /** Closes the commands that events show by now. Call it once those are passed to the log. */
  close(): Promise<void>
}

/** Reads the open commands of a session, whose events are pushed from the seq `after` on. */
export const openCommands = async (
  log: Log,
  sessionId: string,
  after: number,
): Promise<OpenCommands> => {
  const commands = await log.commands.list(sessionId)
  const shown = new Set<string>()
  /** Commands of messages that the events show as sent. */
  const onTheirWay = new Set<string>()
  const failed = new Set<string>()
  let queued: Queued = { steering: [], followUp: [] }
  const push = (event: StampedEvent): void => {
    if (event.type === 'queue_update') queued = event.queued
    if (event.type === 'message_end' && event.commandId !== undefined) {
      shown.add(event.commandId)
      if (event.message.delivery === 'sent') onTheirWay.add(event.commandId)
    }
    if (event.type === 'message_delivery') {
      onTheirWay.delete(event.commandId)
      if (event.state === 'failed') failed.add(event.commandId)
    }
  }
  const isHidden = ({ id }: CommandRecord) => !shown.has(id)
  const hidden = () => commands.filter((each) => each.state === 'sent' && isHidden(each))
  const waiting = () => inQueue(commands).filter(isHidden)

  // A message that was confirmed before the last checkpoint may still have its command.
  const first = Math.min(after, ...commands.map(({ seq }) => seq))
  if (first < after)
    for await (const event of log.read(sessionId, first, after - first))
      if (event.type !== 'queue_update') push(event)

  return {
    push,
    unconfirmed: () => ({ hidden: hidden().map(messageOf), sent: [...onTheirWay] }),
    queueEvents() {
      const followUp = waiting().map((each) => itemOf(messageOf(each), 'follow_up', 'waiting'))
      const update: AgentEvent = { type: 'queue_update', queued: queuedOf(followUp) }
      const isRight = isSameQueue(queued, update.queued)
      if (isRight && hidden().length === 0) return []
      const lost = queueSize(queued) - knownIn(queued, commands)
      return [
        ...(isRight ? [] : [update]),
        ...(lost > 0 ? [lostMessagesNotice(lost)] : []),
        ...(followUp.length > 0 ? [stillQueuedNotice(followUp.length)] : []),
      ]
    },
    async close() {
      const isFailed = (id: string) => onTheirWay.has(id) || failed.has(id)
      const shownIds = commands.map(({ id }) => id).filter((id) => shown.has(id))
      const interrupted = [...hidden().map(({ id }) => id), ...shownIds.filter(isFailed)]
      const accepted = shownIds.filter((id) => !isFailed(id))
      await Promise.all([
        ...(interrupted.length > 0 ? [log.commands.close(interrupted, 'interrupted')] : []),
        ...(accepted.length > 0 ? [log.commands.close(accepted, 'accepted')] : []),
        completeAudit(log, sessionId, commands),
      ])
    },
  }
}

/** Steering messages of an aborted run come before the follow-ups. */
const inQueue = (commands: readonly CommandRecord[]): CommandRecord[] => {
  const queued = commands.filter(({ state }) => state === 'queued')
  const isSteer = ({ kind }: CommandRecord) => kind === 'steer'
  return [...queued.filter(isSteer), ...queued.filter((each) => !isSteer(each))]
}

const messageOf = ({ id, text, images, files, by }: CommandRecord): AcceptedMessage => ({
  id,
  text,
  ...defined({ images, files, by: authorName(by) }),
})

/** Events of earlier versions have no items. */
const isSameQueue = (left: Queued, { items, ...right }: Queued): boolean =>
  JSON.stringify(left) === JSON.stringify(left.items ? { ...right, items } : right)

/** How many of the messages in a queue have a command. */
const knownIn = ({ steering, followUp }: Queued, commands: readonly CommandRecord[]): number => {
  const texts = commands.map(({ text }) => text)
  return [...steering, ...followUp].filter((text) => {
    const index = texts.indexOf(text)
    if (index >= 0) texts.splice(index, 1)
    return index >= 0
  }).length
}

/** The audit of a command is written after its result, so the last ones may be missing. */
const completeAudit = async (
  log: Log,
  sessionId: string,
  commands: readonly CommandRecord[],
): Promise<void> => {
  if (commands.length === 0) return
  const entries = await log.audit.list({ sessionId, limit: 500 })
  for (const { kind: action, by, text, createdAt } of commands) {
    const entry = auditEntryOf({ action, by, sessionId, detail: text }, createdAt)
    const found = entries.findIndex(
      (each) =>
        each.action === entry.action &&
        each.actorId === entry.actorId &&
        each.detail === entry.detail &&
        each.at >= createdAt,
    )
    if (found >= 0) entries.splice(found, 1)
    else await log.audit.append(entry)
  }
}
