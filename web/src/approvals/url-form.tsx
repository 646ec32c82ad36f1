import { Revealed } from '../parts/revealed.tsx'
import type { CardApproval } from './approval-card.tsx'
import { CancelButton } from './cancel-button.tsx'
import type { SendAnswer } from './use-answer.ts'

interface Props {
  url: string
  approval: CardApproval
  answer: SendAnswer
  isSending: boolean
}

/** Asks whether the user opens an address of the agent. It opens only by a click of the user. */
export const UrlForm = ({ url, approval, answer, isSending }: Props) => {
  const { dialog, options = [] } = approval
  const host = hostOf(url)
  const open = () => {
    window.open(url, '_blank', 'noopener,noreferrer')
    answer({ action: 'allow' })
  }
  return (
    <div className="approval-form">
      {dialog?.message !== undefined && (
        <p className="approval-message">
          <Revealed text={dialog.message} isCollapsed />
        </p>
      )}
      <p>
        The address is at <strong>{host ?? 'an unknown host'}</strong>. Open it only if you trust
        that host.
      </p>
      <p className="approval-path">
        <Revealed text={url} />
      </p>
      <div className="approval-buttons">
        {host !== undefined && (
          <button type="button" className="primary" disabled={isSending} onClick={open}>
            Open {host}
          </button>
        )}
        <button type="button" disabled={isSending} onClick={() => answer({ action: 'deny' })}>
          Decline
        </button>
        <CancelButton options={options} answer={answer} isSending={isSending} />
      </div>
    </div>
  )
}

/** The host, in the form in which no letters of other scripts can pass for Latin ones. */
const hostOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { protocol, host } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? host : undefined
}
