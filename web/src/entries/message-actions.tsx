import type { MessageEntry } from '../../../src/transcript/index.ts'
import { useApp } from '../app/use-app.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { copyText } from '../parts/copy-text.ts'
import { formatTime } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { useSession } from '../session/session-scope.ts'
import { sessionPath } from '../state/route.ts'
import { HistoryActions } from './history-actions.tsx'

interface Props {
  entry: MessageEntry
  text: string
}

/** The time of a message, and buttons to copy it or a link to it. */
export const MessageActions = ({ entry, text }: Props) => {
  const { id } = useSession()
  const { toasts } = useApp()
  const { messageId, startedAt } = entry
  const copyLink = () => {
    copyText(new URL(sessionPath(id, messageId), location.href).href).then(
      () => toasts.show('Link copied.'),
      toasts.showError('Could not copy the link'),
    )
  }
  return (
    <div className="message-actions">
      {startedAt !== undefined && (
        <time dateTime={new Date(startedAt).toISOString()}>
          {formatTime(startedAt, Date.now())}
        </time>
      )}
      {text !== '' && <CopyButton text={text} label="Copy message" />}
      <button
        type="button"
        className="quiet-button"
        aria-label="Copy link to this message"
        title="Copy link to this message"
        onClick={copyLink}
      >
        <Icon name="link" />
      </button>
      {entry.message.role === 'user' && !entry.message.synthetic && (
        <HistoryActions messageId={messageId} text={text} />
      )}
    </div>
  )
}
