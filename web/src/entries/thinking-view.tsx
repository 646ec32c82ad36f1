import { Markdown } from '../markdown/markdown.tsx'
import { Fold } from '../parts/fold.tsx'

interface Props {
  text: string
  foldKey: string
  isStreaming: boolean
}

/** The model’s thinking: folded, with a preview of its last line. */
export const ThinkingView = ({ text, foldKey, isStreaming }: Props) => {
  if (text.trim() === '' && !isStreaming) return null
  return (
    <Fold
      foldKey={foldKey}
      className="thinking"
      isOpenAtFirst={false}
      head={
        <>
          <span>{isStreaming ? 'Thinking' : 'Thought'}</span>
          <span className="thinking-preview">{previewOf(text)}</span>
        </>
      }
    >
      {() => <Markdown text={text} isStreaming={isStreaming} />}
    </Fold>
  )
}

const shownLength = 160

const previewOf = (text: string): string => {
  const line = text
    .slice(-4 * shownLength)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > shownLength ? `…${line.slice(-shownLength)}` : line
}
