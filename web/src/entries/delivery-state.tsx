import type { MessageEntry } from '../../../src/transcript/index.ts'
import { RetryButton } from '../composer/retry-button.tsx'
import { useHasErrorNotice, useSession } from '../session/session-scope.ts'

/** Whether the agent has a message of the user already; nothing once it works on it. */
export const DeliveryState = ({ entry }: { entry: MessageEntry }) => {
  const { id } = useSession()
  const { delivery, errorMessage } = entry.message
  const hasNotice = useHasErrorNotice(delivery === 'failed' ? errorMessage : undefined)
  if (delivery === 'sent') return <p className="message-delivery">Sent</p>
  if (delivery !== 'failed') return null
  return (
    <div className="message-delivery message-undelivered">
      <p>Not delivered{errorMessage === undefined || hasNotice ? '.' : `: ${errorMessage}`}</p>
      <RetryButton id={id} message={entry} />
    </div>
  )
}
