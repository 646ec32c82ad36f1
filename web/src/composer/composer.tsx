import { useRef } from 'react'
import { useAgentCan } from '../agents/use-agent-can.ts'
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
  const canSteer = useAgentCan(id, 'steer')
  const draft = useDraftMessage(id, { isWorking, canSteer })
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
          canSteer={canSteer}
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
          label={isWorking && canSteer ? 'Steer the agent' : 'Message to the agent'}
          placeholder={isWorking ? duringRun(canSteer, attached) : between(isBlocked, attached)}
          isLoaded={transcript !== undefined}
        />
        <AddFilesButton onFiles={attached.attach} />
        {isWorking && canSteer && (
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
          {isWorking ? (canSteer ? 'Steer' : 'Queue') : 'Send'}
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

/** What the field says during a run. */
const duringRun = (canSteer: boolean, attached: Attached): string => {
  const forFiles = aboutFiles(attached)
  if (forFiles !== undefined) return forFiles
  if (!canSteer) return isTouch() ? 'Queue a message' : 'Enter queues a message for after this run'
  return isTouch() ? 'Steer or queue' : 'Enter steers the agent, Alt+Enter queues a message'
}

/** What the field says between runs. */
const between = (isBlocked: boolean, attached: Attached): string => {
  if (!isBlocked) return aboutFiles(attached) ?? 'Message the agent'
  return isTouch() ? 'Wait for the compaction' : 'You can send messages when the compaction is done'
}

const aboutFiles = ({ images, files }: Attached): string | undefined => {
  if (images.length > 0) return 'Add a message to the image'
  return files.length > 0 ? 'Add a message to the file' : undefined
}
