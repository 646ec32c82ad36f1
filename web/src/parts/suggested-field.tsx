import { useId } from 'react'

interface Props {
  label: string
  /** What the label does not say. */
  hint?: string
  value: string
  /** What may be meant; anything else may be typed. */
  suggestions: readonly string[]
  placeholder?: string
  onChange: (value: string) => void
}

/** A field that knows some answers. */
export const SuggestedField = (props: Props) => {
  const { label, hint, value, suggestions, placeholder, onChange } = props
  const list = useId()
  return (
    <label>
      {label} {hint !== undefined && <span className="optional">{hint}</span>}
      <input
        value={value}
        onChange={(event) => onChange(event.target.value)}
        list={list}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={list}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  )
}
