import { type DragEvent, useEffect, useRef, useState } from 'react'
import { useApp } from '../app/context.ts'
import { Icon } from '../parts/icon.tsx'
import { useStore } from '../store/use-store.ts'
import { AttachedImages } from './attached-images.tsx'
import { QueueView } from './queue-view.tsx'
import { RunBar } from './run-bar.tsx'
import { useComposer } from './use-composer.ts'
import { usePromptHistory } from './use-prompt-history.ts'
import '../style/composer.css'

/** Where a person speaks to the agent. */
export const Composer = ({ id }: { id: string }) => {
  const { lives } = useApp()
  const { transcript } = useStore(lives.of(id))
  const isWorking = transcript?.isStreaming === true
  const { text, images, isSending, write, attach, detach, send } = useComposer(id, isWorking)
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const onHistoryKey = usePromptHistory(text, write)
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    // Whoever opens a session mostly wants to say something; unless something is asked first.
    if (!isTouch() && !document.querySelector('.approval')) field.current?.focus()
  }, [])

  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    attach(event.dataTransfer.files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files may also be chosen by a button.
    <div
      className={classOf(isWorking, isOver)}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <RunBar id={id} />
      {transcript && <QueueView queued={transcript.queued} />}
      <AttachedImages images={images} onDetach={detach} />
      <div className="composer-field">
        <textarea
          ref={field}
          value={text}
          rows={1}
          placeholder={placeholderFor(isWorking)}
          aria-label={isWorking ? 'Steer the agent' : 'Message to the agent'}
          enterKeyHint="send"
          onChange={(event) => write(event.target.value)}
          onPaste={(event) => attach(event.clipboardData.files) && event.preventDefault()}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              if (isTouch() && !event.altKey) return
              event.preventDefault()
              send(event.altKey ? 'later' : 'now')
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
            attach(event.target.files)
            event.target.value = ''
          }}
        />
        <button
          type="button"
          className="quiet-button"
          aria-label="Add images"
          title="Add images; they can be pasted and dropped, too"
          onClick={() => picker.current?.click()}
        >
          <Icon name="image" />
        </button>
        {isWorking && (
          <button
            type="button"
            disabled={isSending || text.trim() === ''}
            onClick={() => send('later')}
            title="Delivered when the run is over (Alt-Enter)"
          >
            Queue
          </button>
        )}
        <button
          type="button"
          className="primary send-button"
          disabled={isSending || text.trim() === ''}
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

const placeholderFor = (isWorking: boolean): string => {
  if (!isWorking) return 'Say what to do'
  return isTouch() ? 'Steer it, or queue for later' : 'Steer it: Enter; queue for later: Alt-Enter'
}

/** On a phone, Enter is a new line, and the button sends. */
const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches
