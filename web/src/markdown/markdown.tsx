import { memo, useMemo, useRef } from 'react'
import { emptyLexed, type Lexed, lexAll, lexAppended } from './lex.ts'
import { MarkdownBlock } from './markdown-block.tsx'
import '../style/markdown.css'

/** A Markdown text, complete or still being written. Only blocks that change render again. */
export const Markdown = memo(({ text, isStreaming }: { text: string; isStreaming: boolean }) => {
  const last = useRef<Lexed>(emptyLexed)
  const { blocks, tail, isLimited } = useMemo(() => {
    // The finished text is read as a whole: a definition at its end may complete links before it.
    const lexed = isStreaming ? lexAppended(last.current, text) : lexAll(last.current, text)
    last.current = lexed
    return lexed
  }, [text, isStreaming])
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        <MarkdownBlock
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end.
          key={index}
          token={block}
          isOpen={isStreaming && index === blocks.length - 1}
        />
      ))}
      {tail !== '' && <p className="plain-text">{tail}</p>}
      {isLimited && !isStreaming && (
        <p className="limit-note">
          A part of this message is shown as text, because formatting it would take too long.
        </p>
      )}
    </div>
  )
})
