import { revealText } from '../../../src/shared/revealed-text.ts'
import { Revealed } from '../parts/revealed.tsx'
import { Warnings } from './warnings.tsx'

/** A field draws hidden characters as they are, so this shows them below it. */
export const HiddenCharacters = ({ text }: { text: string }) =>
  revealText(text).warnings.length > 0 && (
    <>
      <Warnings texts={[text]} />
      <pre className="request-text edit-revealed">
        <Revealed text={text} isCollapsed />
      </pre>
    </>
  )
