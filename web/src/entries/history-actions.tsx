import { lazy, Suspense, useState } from 'react'
import { createPortal } from 'react-dom'
import type { SessionInfo } from '../../../src/api/index.ts'
import { useAgentCan } from '../agents/use-agent-can.ts'
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
  const canFork = useAgentCan(id, 'forkBefore')
  const canRewind = useAgentCan(id, 'rewind')
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
