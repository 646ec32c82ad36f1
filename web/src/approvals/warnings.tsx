import { revealText } from '../../../src/shared/revealed-text.ts'

/** What could mislead a reader of these texts; nothing for ordinary ones. */
export const Warnings = ({ texts }: { texts: readonly string[] }) => {
  const warnings = new Set(texts.flatMap((text) => revealText(text).warnings))
  if (warnings.size === 0) return null
  return (
    <ul className="request-warnings" aria-label="Warnings">
      {[...warnings].map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  )
}
