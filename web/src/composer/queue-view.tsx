import type { Queued, QueueItem } from '../../../src/events/index.ts'
import { Fold } from '../parts/fold.tsx'
import { QueuedMessageView } from './queued-message-view.tsx'

interface Props {
  sessionId: string
  queued: Queued
  isWorking: boolean
  /** Whether the agent reads messages during a run. */
  canSteer: boolean
  /** Whether the list is folded at first, because other things need the room. */
  isFolded: boolean
  /** Accepts the text of an edit that came too late. */
  onUnsaved: (text: string) => void
}

/** Messages that wait to be delivered to the agent. Each can be sent now, edited and removed. */
export const QueueView = (props: Props) => {
  const { sessionId, queued, isWorking, canSteer, isFolded, onUnsaved } = props
  const items = itemsOf(queued)
  if (items.length === 0) return null
  return (
    <Fold
      foldKey="queue"
      className="queue"
      isOpenAtFirst={!isFolded}
      head={
        <>
          <span className="queue-badge number">{items.length}</span> queued
        </>
      }
    >
      {() => (
        <>
          {!isWorking && <p className="queue-note">{noteFor(items)}</p>}
          <ul>
            {items.map((item, index) => (
              <QueuedMessageView
                key={item.id ?? `agent-${index}`}
                sessionId={sessionId}
                item={item}
                isWorking={isWorking}
                canSteer={canSteer}
                onUnsaved={onUnsaved}
              />
            ))}
          </ul>
        </>
      )}
    </Fold>
  )
}

/** What becomes of the queue between runs, such as after a stop. */
const noteFor = (items: readonly QueueItem[]): string => {
  const waiting = items.filter(({ state }) => state === 'waiting').length
  if (waiting === 0) return 'The agent is idle. It reads what is queued with your next message.'
  return waiting === 1
    ? 'The agent is idle. 1 message was not sent. It is sent after your next message, or when you choose Send now.'
    : `The agent is idle. ${waiting} messages were not sent. They are sent after your next message, or when you choose Send now.`
}

/** Events of earlier versions have only the texts. */
const itemsOf = ({ items, steering, followUp }: Queued): readonly QueueItem[] =>
  items ?? [
    ...steering.map((text): QueueItem => ({ kind: 'steer', text, state: 'sent' })),
    ...followUp.map((text): QueueItem => ({ kind: 'follow_up', text, state: 'sent' })),
  ]
