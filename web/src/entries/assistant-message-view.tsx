import type { Block } from '../../../src/events/index.ts'
import { ownValue } from '../../../src/shared/fields.ts'
import type { MessageEntry } from '../../../src/transcript/index.ts'
import { useSessionAgent } from '../agents/use-session-agent.ts'
import { useSession } from '../session/session-scope.ts'
import { blockText } from '../tools/tool-output.ts'
import { adviceForMessage, defaultAdvice } from './advice.ts'
import { isBlankBlock } from './entry-rows.ts'
import { ErrorNotice } from './error-notice.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageBlock } from './message-block.tsx'

interface Props {
  entry: MessageEntry
  foldKey: string
}

/** A message of the model, complete or as far as it has arrived. */
export const AssistantMessageView = ({ entry, foldKey }: Props) => {
  const { message, isStreaming } = entry
  const { content, errorMessage, stopReason } = message
  const last = content.length - 1
  // An agent that the user stopped may report that as an error.
  const hasFailed = errorMessage !== undefined && stopReason !== 'aborted'
  return (
    <article className="message message-assistant" aria-label="Agent" aria-busy={isStreaming}>
      {content.map((block, index) => (
        <MessageBlock
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks of a message do not move.
          key={index}
          block={block}
          foldKey={`${foldKey}-${index}`}
          isStreaming={isStreaming && index === last}
          showsCalls={isStreaming}
        />
      ))}
      {isStreaming && isEmpty(content) && <p className="waiting-dots">…</p>}
      {hasFailed && (
        <FailedMessage foldKey={foldKey} message={errorMessage} details={message.errorDetails} />
      )}
      {!hasFailed && <StopReason reason={stopReason} />}
      {!isStreaming && <MessageActions entry={entry} text={blockText(content)} />}
    </article>
  )
}

/** The error that a message ended with. */
const FailedMessage = (props: {
  foldKey: string
  message: string
  details: string | undefined
}) => {
  const agent = useSessionAgent(useSession().id)
  return <ErrorNotice {...props} advice={adviceForMessage(props.message, agent) ?? defaultAdvice} />
}

/** Whether there is nothing to show yet; a thinking block shows that itself. */
const isEmpty = (content: readonly Block[]): boolean =>
  content.every(isBlankBlock) && content.at(-1)?.type !== 'thinking'

/** Why a message is incomplete. */
const StopReason = ({ reason }: { reason: string | undefined }) => {
  const message = reason === undefined ? undefined : ownValue(reasons, reason)
  return message !== undefined && <p className="stop-reason">{message}</p>
}

const reasons: Readonly<Record<string, string>> = {
  aborted: 'Stopped.',
  interrupted: 'Interrupted.',
  length: 'The answer reached the model’s output limit. Send “continue” for the rest.',
  refusal: 'The model refused to answer.',
}
