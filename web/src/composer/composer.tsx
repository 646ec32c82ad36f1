import { useRef } from 'react'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { isTouch } from '../parts/is-touch.ts'
import { useIsNarrow } from '../parts/use-is-narrow.ts'
import { AttachedFiles } from './attached-files.tsx'
import { AttachedImages } from './attached-images.tsx'
import { BackgroundTasks } from './background-tasks.tsx'
import { MessageField } from './message-field.tsx'
import { QueueView } from './queue-view.tsx'
import { RunBar } from './run-bar.tsx'
import { TodoView } from './todo-view.tsx'
import type { Attached } from './use-attachments.ts'
import { useDraftMessage } from './use-draft-message.ts'
import { useDroppedFiles } from './use-dropped-files.ts'
import '../style/composer.css'

/** Where the user writes to the agent. The state of the run and the queue stand above the field. */
export const Composer = ({ id }: { id: string }) => {
  const { followed } = useApp()
  const { transcript } = useStore(followed.of(id))
  const isWorking = transcript?.isStreaming === true
  const isNarrow = useIsNarrow()
  // Between runs, an agent accepts no message while it compacts its context.
  const isBlocked = !isWorking && (transcript?.compaction ?? null) !== null
  const draft = useDraftMessage(id, isWorking)
  const { attached } = draft
  const isDraggedOver = useDroppedFiles(draft.attached.attach)
  const isSendable = draft.text.trim() !== '' && !isBlocked
  return (
    <div className={classOf(isWorking, isDraggedOver)}>
      <RunBar id={id} />
      {draft.isSending && !isWorking && (
        <p className="composer-sending" role="status">
          Sending…
        </p>
      )}
      {transcript?.todos && (
        <TodoView
          todos={transcript.todos}
          isWorking={isWorking}
          isFolded={isNarrow || transcript.approvals.length > 0}
        />
      )}
      {transcript && <BackgroundTasks id={id} tasks={transcript.tasks} />}
      {transcript && (
        <QueueView
          sessionId={id}
          queued={transcript.queued}
          isWorking={isWorking}
          isFolded={isNarrow && transcript.approvals.length > 0}
          onUnsaved={draft.putBack}
        />
      )}
      <AttachedImages images={attached.images} onDetach={attached.detachImage} />
      <AttachedFiles files={attached.files} onDetach={attached.detachFile} />
      <div className="composer-field">
        <MessageField
          draft={draft}
          commands={transcript?.commands ?? []}
          isSendable={isSendable}
          isWorking={isWorking}
          placeholder={placeholderFor(isWorking, isBlocked, attached)}
          isLoaded={transcript !== undefined}
        />
        <AddFilesButton onFiles={attached.attach} />
        {isWorking && (
          <button
            type="button"
            disabled={!isSendable}
            onClick={() => draft.send('later')}
            title="Send when the current run ends (Alt+Enter)"
          >
            Queue
          </button>
        )}
        <button
          type="button"
          className="primary send-button"
          disabled={!isSendable}
          onClick={() => draft.send('now')}
        >
          {isWorking ? 'Steer' : 'Send'}
        </button>
      </div>
    </div>
  )
}

const AddFilesButton = ({ onFiles }: { onFiles: (files: readonly File[]) => void }) => {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = '' // or the same file could not be chosen again
        }}
      />
      <button
        type="button"
        className="quiet-button"
        aria-label="Add files"
        title="Add images, text or PDF files, or paste or drop them here"
        onClick={() => picker.current?.click()}
      >
        <Icon name="file" />
      </button>
    </>
  )
}

const classOf = (isWorking: boolean, isDraggedOver: boolean): string =>
  ['composer', isWorking && 'composer-working', isDraggedOver && 'composer-over']
    .filter((name) => name !== false)
    .join(' ')

const placeholderFor = (
  isWorking: boolean,
  isBlocked: boolean,
  { images, files }: Attached,
): string => {
  if (isBlocked)
    return isTouch()
      ? 'Wait for the compaction'
      : 'You can send messages when the compaction is done'
  if (images.length > 0) return 'Add a message to the image'
  if (files.length > 0) return 'Add a message to the file'
  if (!isWorking) return 'Message the agent'
  return isTouch() ? 'Steer or queue' : 'Enter steers the agent, Alt+Enter queues a message'
}
