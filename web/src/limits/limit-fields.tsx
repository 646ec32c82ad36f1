import type { TypedLimits } from './read-limits.ts'
import '../style/limits.css'

interface Props {
  limits: TypedLimits
  onChange: (limits: TypedLimits) => void
}

/** Fields for limits: money, tokens and time. */
export const LimitFields = ({ limits, onChange }: Props) => (
  <div className="limit-fields">
    <LimitField
      label="Cost in US dollars"
      placeholder="No limit"
      value={limits.cost}
      onChange={(cost) => onChange({ ...limits, cost })}
    />
    <LimitField
      label="Tokens"
      placeholder="No limit"
      value={limits.tokens}
      onChange={(tokens) => onChange({ ...limits, tokens })}
    />
    <LimitField
      label="Time"
      placeholder="No limit"
      value={limits.time}
      onChange={(time) => onChange({ ...limits, time })}
    />
  </div>
)

interface FieldProps {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
}

/** A short field of a form. */
export const LimitField = ({ label, placeholder, value, onChange }: FieldProps) => (
  <label>
    {label}
    <input
      value={value}
      placeholder={placeholder}
      onChange={(event) => onChange(event.target.value)}
      autoComplete="off"
      spellCheck={false}
      maxLength={40}
    />
  </label>
)
