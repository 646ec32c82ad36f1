import { Icon } from '../parts/icon.tsx'

interface Props {
  query: string
  onChange: (query: string) => void
  label: string
}

/** A search field with an icon. */
export const SearchField = ({ query, onChange, label }: Props) => (
  <label className="search-field">
    <Icon name="search" />
    <input
      type="search"
      value={query}
      onChange={(event) => onChange(event.target.value)}
      placeholder={label}
      aria-label={label}
      autoComplete="off"
      maxLength={200}
    />
  </label>
)
