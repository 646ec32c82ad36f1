import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import type { SessionInfo } from '../../../src/api/index.ts'
import type { Capabilities } from '../../../src/events/types.ts'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { Icon } from '../parts/icon.tsx'
import { useSession } from '../session/session-scope.ts'
import { sessionPath } from '../state/route.ts'

const RewindDialog = lazy(() =>
  import('./rewind-dialog.tsx').then(({ RewindDialog: view }) => ({ default: view })),
)

interface Props {
  messageId: string
  text: string
}

/** What goes back to before a message of the user, as far as the agent can do it. */
export const HistoryActions = ({ messageId, text }: Props) => {
  const { id } = useSession()
  const { client, drafts, routes, toasts } = useApp()
  const [isRewinding, setRewinding] = useState(false)
  const canFork = useAgentCan('forkBefore')
  const canRewind = useAgentCan('rewind')
  const mayApprove = useMay('approve')
  const fork = () => {
    const goOn = (session: SessionInfo) => {
      drafts.store(session.id, text)
      routes.go(sessionPath(session.id))
    }
    client.sessions
      .fork(id, { beforeMessage: messageId })
      .then(goOn, toasts.showError('Could not fork the session'))
  }
  return (
    <>
      {canFork && <ActionButton label="Fork before this message" icon="fork" onClick={fork} />}
      {canRewind && mayApprove && (
        <ActionButton
          label="Restore files to before this message"
          icon="rewind"
          onClick={() => setRewinding(true)}
        />
      )}
      {/* Not inside the buttons, which take no clicks while nobody points at the message. */}
      {isRewinding &&
        createPortal(
          <Suspense>
            <RewindDialog id={id} messageId={messageId} onClose={() => setRewinding(false)} />
          </Suspense>,
          document.body,
        )}
    </>
  )
}

interface ActionProps {
  label: string
  icon: 'fork' | 'rewind'
  onClick: () => void
}

const ActionButton = ({ label, icon, onClick }: ActionProps) => (
  <button type="button" className="quiet-button" aria-label={label} title={label} onClick={onClick}>
    <Icon name={icon} />
  </button>
)

/** Whether the agent of the session can do something. Not of a session that was imported. */
const useAgentCan = (what: keyof Capabilities): boolean => {
  const { id } = useSession()
  const { overview, agents } = useApp()
  const get = (): boolean => {
    const session = overview.get().sessions.find((each) => each.id === id)
    const agent = agents.get().value?.find(({ name }) => name === session?.agent)
    return session?.imported === undefined && agent?.capabilities?.[what] === true
  }
  const subscribe = (listener: () => void) => {
    const stops = [overview.subscribe(listener), agents.subscribe(listener)]
    return () => {
      for (const stop of stops) stop()
    }
  }
  return useSyncExternalStore(subscribe, get, get)
}
