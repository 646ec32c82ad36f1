import { memo } from 'react'
import { blobIn } from '../../../src/events/blob-preview.ts'
import type { Block } from '../../../src/events/index.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { DownloadBlobButton } from '../parts/download-blob-button.tsx'
import { Fold } from '../parts/fold.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { useHasToolEntry } from '../session/session-scope.ts'
import { ImagesView } from '../tools/images-view.tsx'
import { StatusSign } from '../tools/status-sign.tsx'
import { ThinkingView } from './thinking-view.tsx'

interface Props {
  block: Block
  foldKey: string
  isStreaming: boolean
  /** Whether tool calls are shown: only until the tool has an entry of its own. */
  showsCalls: boolean
}

/** One block of a message, by its kind. */
export const MessageBlock = memo(({ block, foldKey, isStreaming, showsCalls }: Props) => {
  const { type } = block
  if (type === 'text' && typeof block.text === 'string')
    return (
      <>
        {block.text !== '' && <Markdown text={block.text} isStreaming={isStreaming} />}
        <FullTextButton block={block} />
      </>
    )
  if (type === 'thinking' && typeof block.thinking === 'string')
    return <ThinkingView text={block.thinking} foldKey={foldKey} isStreaming={isStreaming} />
  if (type === 'image') return <ImagesView content={[block]} />
  if (type === 'toolCall') return showsCalls && <ToolCallDraft block={block} />
  return (
    <Fold foldKey={foldKey} className="thinking" isOpenAtFirst={false} head={type}>
      {() => <JsonView value={block} />}
    </Fold>
  )
})

/** Downloads the full text, where it was too long for an event and is stored as a blob. */
const FullTextButton = ({ block }: { block: Block }) => {
  const blob = blobIn(block)
  return blob ? <DownloadBlobButton blob={blob} name="message.md" /> : null
}

/** How many characters of the arguments are shown. */
const shownLength = 600

/** A tool call whose arguments are still being written. */
const ToolCallDraft = ({ block }: { block: Block }) => {
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
