import { useEffect, useRef } from 'react'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { isTouch } from '../parts/is-touch.ts'
import { AttachedImages } from './attached-images.tsx'
import { QueueView } from './queue-view.tsx'
import { RunBar } from './run-bar.tsx'
import { isImage, useComposer } from './use-composer.ts'
import { useDroppedFiles } from './use-dropped-files.ts'
import { usePromptHistory } from './use-prompt-history.ts'
import '../style/composer.css'

/** Where a person speaks to the agent. */
export const Composer = ({ id }: { id: string }) => {
  const { followed } = useApp()
  const { transcript } = useStore(followed.of(id))
  const isWorking = transcript?.isStreaming === true
  /** Between runs nothing is taken while the context is compacted. */
  const isHeld = !isWorking && (transcript?.compaction ?? null) !== null
  const { text, images, isSending, write, attach, detach, send } = useComposer(id, isWorking)
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const onHistoryKey = usePromptHistory(text, write)
  const isOver = useDroppedFiles(attach)
  const isLoaded = transcript !== undefined
  useEffect(() => {
    // Whoever opens a session mostly wants to say something; unless something is asked first.
    const isFree = document.activeElement === document.body && !document.querySelector('.approval')
    if (isLoaded && isFree && !isTouch()) field.current?.focus()
  }, [isLoaded])

  const isSendable = text.trim() !== '' && !isHeld
  return (
    <div className={classOf(isWorking, isOver)}>
      <RunBar id={id} />
      {isSending && !isWorking && (
        <p className="composer-sending" role="status">
          Sending…
        </p>
      )}
      {transcript && <QueueView queued={transcript.queued} />}
      <AttachedImages images={images} onDetach={detach} />
      <div className="composer-field">
        <textarea
          ref={field}
          value={text}
          rows={1}
          dir="auto"
          placeholder={placeholderFor(isWorking, isHeld, images.length > 0)}
          aria-label={isWorking ? 'Steer the agent' : 'Message to the agent'}
          enterKeyHint="send"
          onChange={(event) => write(event.target.value)}
          onPaste={(event) => {
            const images = [...event.clipboardData.files].filter(isImage)
            // What was copied from a table is both, and the words are meant.
            if (images.length === 0 || event.clipboardData.getData('text/plain') !== '') return
            event.preventDefault()
            attach(images)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              if (isTouch() && !event.altKey) return // there the button sends
              event.preventDefault()
              if (isSendable) send(event.altKey ? 'later' : 'now')
            } else onHistoryKey(event)
          }}
        />
        <input
          ref={picker}
          type="file"
          accept="image/*"
          multiple
          hidden
          onChange={(event) => {
            attach([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
        <button
          type="button"
          className="quiet-button"
          aria-label="Add images"
          title="Add images, or paste or drop them here"
          onClick={() => picker.current?.click()}
        >
          <Icon name="image" />
        </button>
        {isWorking && (
          <button
            type="button"
            disabled={!isSendable}
            onClick={() => send('later')}
            title="Send when the current run ends (Alt+Enter)"
          >
            Queue
          </button>
        )}
        <button
          type="button"
          className="primary send-button"
          disabled={!isSendable}
          onClick={() => send('now')}
        >
          {isWorking ? 'Steer' : 'Send'}
        </button>
      </div>
    </div>
  )
}

const classOf = (isWorking: boolean, isOver: boolean): string =>
  ['composer', isWorking && 'composer-working', isOver && 'composer-over']
    .filter((name) => name !== false)
    .join(' ')

const placeholderFor = (isWorking: boolean, isHeld: boolean, hasImages: boolean): string => {
  if (isHeld) return 'Compacting context. You can send messages when it is done.'
  if (hasImages) return 'Add a message to the image'
  if (!isWorking) return 'Message the agent'
  return isTouch()
    ? 'Steer the agent, or queue a message'
    : 'Enter steers the agent, Alt+Enter queues a message'
}
