import type { Queued, QueueItem } from '../../../src/events/index.ts'
import { Fold } from '../parts/fold.tsx'
import { QueuedMessageView } from './queued-message-view.tsx'

interface Props {
  sessionId: string
  queued: Queued
  isWorking: boolean
  /** Accepts the text of an edit that came too late. */
  onUnsaved: (text: string) => void
}

/** Messages that wait to be delivered to the agent. Each can be sent now, edited and removed. */
export const QueueView = ({ sessionId, queued, isWorking, onUnsaved }: Props) => {
  const items = itemsOf(queued)
  if (items.length === 0) return null
  return (
    <Fold
      foldKey="queue"
      className="queue"
      isOpenAtFirst
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
  const [one, many] = items.some(({ state }) => state === 'sent')
    ? ['The agent reads it with your next message.', 'The agent reads them with your next message.']
    : [
        'It was not sent. It is sent after your next message, or when you choose Send now.',
        'They were not sent. They are sent after your next message, or when you choose Send now.',
      ]
  return `The agent is idle. ${items.length === 1 ? one : many}`
}

/** Events of earlier versions have only the texts. */
const itemsOf = ({ items, steering, followUp }: Queued): readonly QueueItem[] =>
  items ?? [
    ...steering.map((text): QueueItem => ({ kind: 'steer', text, state: 'sent' })),
    ...followUp.map((text): QueueItem => ({ kind: 'follow_up', text, state: 'sent' })),
  ]
