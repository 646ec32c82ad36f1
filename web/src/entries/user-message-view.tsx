import type { MessageEntry } from '../../../src/transcript/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { ImagesView } from '../tools/images-view.tsx'
import { blockText } from '../tools/tool-output.ts'
import { DeliveryState } from './delivery-state.tsx'
import { FilesView } from './files-view.tsx'
import { MessageActions } from './message-actions.tsx'

interface Props {
  entry: MessageEntry
  who: string
}

/** A message of the user, or one that was added in their place. */
export const UserMessageView = ({ entry, who }: Props) => {
  const { role, content, synthetic, by } = entry.message
  const isFromOther = useIsOther(by)
  const text = blockText(content)
  return (
    <article className={`message message-${role}`} aria-label={who}>
      {(role !== 'user' || synthetic) && (
        <p className="message-who">{synthetic ? 'Added by the agent' : who}</p>
      )}
      {isFromOther && (
        <p className="message-who">
          by <bdi>{by}</bdi>
        </p>
      )}
      {/* Not Markdown: what the user typed is shown as typed, with its line breaks. */}
      {role === 'user' ? (
        <p className="message-said" dir="auto">
          {text}
        </p>
      ) : (
        <Markdown text={text} isStreaming={entry.isStreaming} />
      )}
      <ImagesView content={content} />
      <FilesView content={content} />
      <DeliveryState entry={entry} />
      <MessageActions entry={entry} text={text} />
    </article>
  )
}

/** Whether somebody else than this browser wrote a message. False while that is not known. */
const useIsOther = (by: string | undefined): boolean => {
  const own = useStore(useApp().access).value?.actor.name
  return by !== undefined && own !== undefined && by !== own
}
