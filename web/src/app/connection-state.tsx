import { useStore } from '../lib/use-store.ts'
import { Announce } from '../parts/announce.tsx'
import { Countdown } from '../parts/relative-time.tsx'
import type { HubConnection } from '../stream/messages.ts'
import { useApp } from './use-app.ts'

const labels: Record<HubConnection['status'], string> = {
  live: 'Live',
  connecting: 'Connecting…',
  waiting: 'Offline',
  denied: 'Access denied',
  stopped: 'Disconnected',
}

/** The state of the connection to the server: whether the page is live. */
export const ConnectionState = () => {
  const { connection, retry } = useApp()
  const state = useStore(connection)
  return (
    <span className={`connection connection-${state.status}`}>
      <span className="connection-sign" aria-hidden="true" />
      {labels[state.status]}
      {state.status === 'waiting' && (
        <>
          <span title={state.detail}>
            (retrying in <Countdown until={state.until} />)
          </span>
          <button type="button" className="link-button" onClick={retry}>
            Retry now
          </button>
        </>
      )}
      {state.status === 'stopped' && (
        <button
          type="button"
          className="link-button"
          title={state.detail}
          onClick={() => location.reload()}
        >
          Reload the page
        </button>
      )}
      <Announce text={labels[state.status]} />
    </span>
  )
}
