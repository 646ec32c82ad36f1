import { memo, useEffect, useMemo } from 'react'
import { useStore } from '../lib/use-store.ts'
import { highlight, highlighter, loadHighlighter } from './highlighter.ts'
import '../style/code.css'

interface Props {
  code: string
  language?: string | undefined
}

/** Code with its colours, as soon as they are there. */
export const Code = memo(({ code, language }: Props) => {
  const loaded = useStore(highlighter)
  useEffect(() => {
    if (language) loadHighlighter()
  }, [language])
  const pieces = useMemo(
    () => (loaded && language ? highlight(loaded, code, language) : undefined),
    [loaded, code, language],
  )
  if (!pieces) return <code>{code}</code>
  return (
    <code>
      {pieces.map(({ text, className }, index) =>
        className ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever drawn anew together.
          <span key={index} className={className}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </code>
  )
})
