import { useState } from 'react'
import type { QueueItem } from '../../../src/events/index.ts'
import { useApp } from '../app/use-app.ts'
import { QueueEditForm } from './queue-edit-form.tsx'

interface Props {
  sessionId: string
  item: QueueItem
  isWorking: boolean
  /** Whether the agent reads messages during a run. */
  canSteer: boolean
  onUnsaved: (text: string) => void
}

/** One message of the queue. A message that the agent already has can only be removed. */
export const QueuedMessageView = (props: Props) => {
  const { sessionId, item, isWorking, canSteer, onUnsaved } = props
  const { client, toasts } = useApp()
  const [isEditing, setEditing] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const { id, text, images, by } = item
  const { sendQueued, removeQueued } = client.sessions
  const change = (call: Promise<unknown>, failure: string) => {
    setChanging(true)
    call.catch(toasts.showError(failure)).finally(() => setChanging(false))
  }
  if (isEditing && id !== undefined && item.state === 'waiting')
    return (
      <li>
        <QueueEditForm
          sessionId={sessionId}
          messageId={id}
          text={text}
          onUnsaved={(unsaved) => {
            setEditing(false)
            onUnsaved(unsaved)
          }}
          onDone={() => setEditing(false)}
        />
      </li>
    )
  return (
    <li className="queue-item">
      <span className="queue-text" dir="auto">
        {text}
      </span>
      <span className="queue-about">{describe(item, isWorking, images, by)}</span>
      {id !== undefined && (
        <span className="queue-actions">
          {item.state === 'waiting' && (
            <>
              {(canSteer || !isWorking) && (
                <button
                  type="button"
                  disabled={isChanging}
                  title={isWorking ? 'Send it into this run' : 'Start a run with it'}
                  onClick={() => change(sendQueued(sessionId, id), 'Could not send the message')}
                >
                  Send now
                </button>
              )}
              <button type="button" disabled={isChanging} onClick={() => setEditing(true)}>
                Edit
              </button>
            </>
          )}
          <button
            type="button"
            disabled={isChanging}
            onClick={() => change(removeQueued(sessionId, id), 'Could not remove the message')}
          >
            Remove
          </button>
        </span>
      )}
    </li>
  )
}

const describe = (
  { kind, state, files }: QueueItem,
  isWorking: boolean,
  images: number | undefined,
  by: string | undefined,
): string =>
  [
    whenRead(kind, state, isWorking),
    images !== undefined && (images === 1 ? '1 image' : `${images} images`),
    files?.join(', '),
    by !== undefined && `by ${by}`,
  ]
    .filter((part) => part !== false && part !== undefined)
    .join(' · ')

const whenRead = (
  kind: QueueItem['kind'],
  state: QueueItem['state'],
  isWorking: boolean,
): string => {
  if (!isWorking) return state === 'sent' ? 'with your next message' : 'not sent'
  return kind === 'steer' ? 'at the next step' : 'after this run'
}
