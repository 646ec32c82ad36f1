import { memo, useMemo } from 'react'
import { collapseBlanks, revealText } from '../../../src/shared/revealed-text.ts'
import '../style/revealed.css'

interface Props {
  text: string
  /** Whether long gaps become a note about them. */
  isCollapsed?: boolean
}

/** A text that an agent wrote, with everything visible that a screen would hide or reorder. */
export const Revealed = memo(({ text, isCollapsed = false }: Props) => {
  const parts = useMemo(() => {
    const revealed = revealText(text).parts
    return isCollapsed ? collapseBlanks(revealed) : revealed
  }, [text, isCollapsed])
  return parts.map((part, index) =>
    part.kind === 'plain' ? (
      part.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: all parts are always replaced together.
      <mark key={index} className={`revealed-${part.kind}`} title={titles[part.kind]}>
        {part.text}
      </mark>
    ),
  )
})

const titles = {
  hidden: 'A character that a screen does not show',
  lookalike: 'This may not be the word that it looks like',
  blank: 'Left out: only blanks',
}
