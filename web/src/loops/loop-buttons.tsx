import { useState } from 'react'
import type { LoopInfo } from '../../../src/events/index.ts'
import { useApp } from '../app/use-app.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import { useMay } from '../app/use-may.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { loopName } from './loop-name.ts'

/** Pauses, resumes and stops a loop. Nothing for a loop that is over. */
export const LoopButtons = ({ loop }: { loop: LoopInfo }) => {
  const { client, toasts } = useApp()
  const isOffline = useIsOffline()
  const mayPrompt = useMay('prompt')
  const [isSending, setSending] = useState(false)
  const [isStopping, setStopping] = useState(false)
  if (loop.state === 'done' || !mayPrompt) return null
  const send = (request: Promise<unknown>, failure: string) => {
    setSending(true)
    request.catch(toasts.showError(failure)).finally(() => setSending(false))
  }
  const isPaused = loop.state === 'paused' || loop.pauseRequested === true
  const name = loopName(loop)
  return (
    <>
      <span className="loop-buttons">
        <button
          type="button"
          disabled={isSending || isOffline}
          aria-label={`${isPaused ? 'Resume' : 'Pause'} ${name}`}
          onClick={() =>
            isPaused
              ? send(client.loops.resume(loop.id), 'Could not resume the loop')
              : send(client.loops.pause(loop.id), 'Could not pause the loop')
          }
        >
          <Icon name={isPaused ? 'play' : 'pause'} />
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <button
          type="button"
          disabled={isSending || isOffline}
          aria-label={`Stop ${name}`}
          onClick={() => setStopping(true)}
        >
          <Icon name="stop" />
          Stop…
        </button>
      </span>
      {isStopping && (
        <StopDialog
          isRunning={loop.state === 'running'}
          onClose={() => setStopping(false)}
          onStop={() => send(client.loops.stop(loop.id), 'Could not stop the loop')}
        />
      )}
    </>
  )
}

interface StopProps {
  isRunning: boolean
  onClose: () => void
  onStop: () => void
}

const StopDialog = ({ isRunning, onClose, onStop }: StopProps) => (
  <Dialog title="Stop this loop?" onClose={onClose}>
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onStop()
        onClose()
      }}
    >
      <p>
        {isRunning && 'The iteration that runs is stopped, too. '}No other iteration starts. To
        continue later, pause the loop instead.
      </p>
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="primary">
          Stop loop
        </button>
      </footer>
    </form>
  </Dialog>
)
