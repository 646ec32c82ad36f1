import { useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import { Icon } from '../parts/icon.tsx'

interface Props {
  id: string
  /** How far the stop has come, in the server’s words. */
  stage: string | undefined
}

/** Ends the run, and says how far that has come. */
export const StopButton = ({ id, stage }: Props) => {
  const { client, toasts } = useApp()
  const [isAsked, setAsked] = useState(false)
  const isOffline = useIsOffline()
  const isStopping = isAsked || stage?.startsWith('stopping')
  const stop = () => {
    setAsked(true)
    client.sessions
      .abort(id)
      .catch(toasts.showError('Could not stop the agent'))
      .finally(() => setAsked(false))
  }
  return (
    <button
      type="button"
      className="stop-button"
      disabled={isOffline || isStopping}
      title={isOffline ? 'The server is unreachable' : undefined}
      onClick={stop}
    >
      <Icon name="stop" />
      {isStopping ? stageWords(stage) : 'Stop'}
    </button>
  )
}

const stageWords = (stage: string | undefined): string => {
  const signal = /\((\w+)\)/.exec(stage ?? '')?.[1]
  return signal === undefined ? 'Stopping…' : `Stopping (${signal})…`
}
