import { memo, useMemo, useRef } from 'react'
import { emptyLexed, type Lexed, lexGrown, lexWhole } from './lex.ts'
import { MarkdownBlock } from './markdown-block.tsx'
import '../style/markdown.css'

/** A text in Markdown, as far as it has come. Blocks that are finished are not drawn again. */
export const Markdown = memo(({ text, isStreaming }: { text: string; isStreaming: boolean }) => {
  const last = useRef<Lexed>(emptyLexed)
  const { blocks } = useMemo(() => {
    // A definition at the end may give links before it their address: the end is read as a whole.
    const lexed = isStreaming ? lexGrown(last.current, text) : lexWhole(last.current, text)
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
          isLast={isStreaming && index === blocks.length - 1}
        />
      ))}
    </div>
  )
})
