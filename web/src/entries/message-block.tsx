import { memo } from 'react'
import { blobRef } from '../../../src/events/blob-ref.ts'
import type { Block } from '../../../src/events/index.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { Fold } from '../parts/fold.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { SaveBlobButton } from '../parts/save-blob-button.tsx'
import { useHasToolEntry } from '../session/session-scope.ts'
import { ImagesView } from '../tools/images-view.tsx'
import { StatusSign } from '../tools/status-sign.tsx'
import { ThinkingView } from './thinking-view.tsx'

interface Props {
  block: Block
  name: string
  isStreaming: boolean
  /** A call is shown by its tool as soon as that is there. */
  isCallShown: boolean
}

/** One block of a message, by its kind. */
export const MessageBlock = memo(({ block, name, isStreaming, isCallShown }: Props) => {
  const { type } = block
  if (type === 'text' && typeof block.text === 'string')
    return (
      <>
        {block.text !== '' && <Markdown text={block.text} isStreaming={isStreaming} />}
        <WholeText block={block} />
      </>
    )
  if (type === 'thinking' && typeof block.thinking === 'string')
    return <ThinkingView text={block.thinking} name={name} isStreaming={isStreaming} />
  if (type === 'image') return <ImagesView content={[block]} />
  if (type === 'toolCall') return isCallShown && <CallInFlight block={block} />
  return (
    <Fold name={name} className="thinking" isOpenAtFirst={false} head={type}>
      {() => <JsonView value={block} />}
    </Fold>
  )
})

/** A text that was too long for the events is kept apart. */
const WholeText = ({ block }: { block: Block }) => {
  const { data } = blobRef.safeParse('blob' in block ? block.blob : undefined)
  return data ? <SaveBlobButton blob={data} name="message.md" /> : null
}

/** How much of a call in the making is shown. */
const shownLength = 600

/** A call whose arguments are still being written. */
const CallInFlight = ({ block }: { block: Block }) => {
  const hasTool = useHasToolEntry('id' in block && typeof block.id === 'string' ? block.id : '')
  if (block.type !== 'toolCall' || hasTool) return null
  const text = typeof block.arguments === 'string' ? block.arguments : ''
  return (
    <div className="call-in-flight">
      <p>
        <StatusSign status="running" />
        <span className="tool-name">{typeof block.name === 'string' ? block.name : 'tool'}</span>
      </p>
      {text !== '' && <pre>{text.slice(-shownLength)}</pre>}
    </div>
  )
}
