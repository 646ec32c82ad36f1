import { useId } from 'react'

interface Props {
  label: string
  /** A short note behind the label. */
  hint?: string
  value: string
  /** Values to choose from; the field accepts others. */
  suggestions: readonly string[]
  placeholder?: string
  onChange: (value: string) => void
}

/** A text field with suggestions. */
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
