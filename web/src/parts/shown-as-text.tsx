import { useState } from 'react'
import { formatCount } from './format.ts'
import '../style/shown-as-text.css'

interface Props {
  /** What could not be drawn, to finish the sentence “… cannot be shown.” */
  what: string
  value: unknown
}

/** Stands where something could not be drawn, and shows its content as text on request. */
export const ShownAsText = ({ what, value }: Props) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="shown-as-text" role="alert">
      <p>
        {what} cannot be shown.{' '}
        {!isOpen && (
          <button type="button" className="link-button" onClick={() => setOpen(true)}>
            Show as text
          </button>
        )}
      </p>
      {isOpen && <PlainValue value={value} />}
    </div>
  )
}

/** A value as text that nothing formats. Only the beginning of a long one is shown. */
const PlainValue = ({ value }: { value: unknown }) => {
  const text = textOf(value)
  const hidden = text.length - longestText
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard.
    <pre tabIndex={0}>
      {text.slice(0, longestText)}
      {hidden > 0 && `\n… ${formatCount(hidden)} more characters`}
    </pre>
  )
}

const longestText = 100_000

/** A value as JSON; its type, if even that fails. */
export const textOf = (value: unknown): string => {
  try {
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  } catch {
    return `(${typeof value})`
  }
}
