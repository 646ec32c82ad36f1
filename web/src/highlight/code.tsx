import { memo, useEffect, useMemo } from 'react'
import { useStore } from '../lib/use-store.ts'
import { highlight, highlighter, loadHighlighter } from './highlighter.ts'
import '../style/code.css'

interface Props {
  code: string
  language?: string | undefined
}

/** Code, coloured as soon as the highlighter is loaded. */
export const Code = memo(({ code, language }: Props) => {
  const loaded = useStore(highlighter)
  useEffect(() => {
    if (language) loadHighlighter()
  }, [language])
  const spans = useMemo(
    () => (loaded && language ? highlight(loaded, code, language) : undefined),
    [loaded, code, language],
  )
  if (!spans) return <code>{code}</code>
  return (
    <code>
      {spans.map(({ text, className }, index) =>
        className ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: all spans are always replaced together.
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
