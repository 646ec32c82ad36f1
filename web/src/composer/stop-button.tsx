import { useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import { Icon } from '../parts/icon.tsx'

interface Props {
  id: string
  /** The session's status from the server, such as `stopping (SIGTERM)`. */
  status: string | undefined
}

/** Stops the run, and shows how far stopping has come. */
export const StopButton = ({ id, status }: Props) => {
  const { client, toasts } = useApp()
  const [isRequested, setRequested] = useState(false)
  const isOffline = useIsOffline()
  const isStopping = isRequested || status?.startsWith('stopping')
  const stop = () => {
    setRequested(true)
    client.sessions
      .abort(id)
      .catch(toasts.showError('Could not stop the agent'))
      .finally(() => setRequested(false))
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
      {isStopping ? stoppingLabel(status) : 'Stop'}
    </button>
  )
}

const stoppingLabel = (status: string | undefined): string => {
  const signal = /\((\w+)\)/.exec(status ?? '')?.[1]
  return signal === undefined ? 'Stopping…' : `Stopping (${signal})…`
}
