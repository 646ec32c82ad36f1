import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import type { RememberedRule, RuleSuggestion } from '../../../src/events/index.ts'
import { Revealed } from '../parts/revealed.tsx'
import { HiddenCharacters } from './hidden-characters.tsx'

interface Props {
  toolName: string
  /** Rules that cover the call, the narrowest first. */
  suggestions: readonly RuleSuggestion[]
  isSending: boolean
  onAllow: (rule: RememberedRule) => void
  onCancel: () => void
}

type Scope = RememberedRule['scope']

/** Allows a call, and from now on every call that a pattern covers. */
export const RememberForm = (props: Props) => {
  const { toolName: tool, suggestions, isSending, onAllow, onCancel } = props
  /** Undefined: every call of the tool. */
  const [pattern, setPattern] = useState(suggestions[0]?.pattern)
  const [scope, setScope] = useState<Scope>('session')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAllow({ scope, rule: { tool, ...(pattern !== undefined && { pattern }) } })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onCancel()
  }
  return (
    <form className="approval-form" onSubmit={submit} onKeyDown={onKeyDown}>
      {pattern === undefined ? (
        <p>
          Every call of{' '}
          <code>
            <Revealed text={tool} />
          </code>{' '}
          inside the project will run without asking.
        </p>
      ) : (
        <label>
          Run without asking from now on:{' '}
          <code>
            <Revealed text={tool} />
          </code>
          <input
            // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
            autoFocus
            className="mono"
            value={pattern}
            onChange={(event) => setPattern(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
      )}
      {pattern !== undefined && <HiddenCharacters text={pattern} />}
      <Suggestions suggestions={suggestions} pattern={pattern} onChoose={setPattern} />
      <ScopeChoice scope={scope} onChoose={setScope} />
      <div className="approval-buttons">
        <button type="submit" className="primary" disabled={isSending || pattern?.trim() === ''}>
          Allow {scope === 'session' ? 'in this session' : 'in this project'}
        </button>
        <button type="button" onClick={onCancel}>
          Back
        </button>
      </div>
    </form>
  )
}

interface SuggestionsProps {
  suggestions: readonly RuleSuggestion[]
  pattern: string | undefined
  onChoose: (pattern: string | undefined) => void
}

/** Patterns to choose from. A call that only one pattern covers needs no choice. */
const Suggestions = ({ suggestions, pattern, onChoose }: SuggestionsProps) =>
  suggestions.length > 1 && (
    <fieldset className="remember-suggestions">
      <legend>Suggestions</legend>
      {suggestions.map((suggestion, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: the suggestions of a call do not change.
          key={index}
          type="button"
          aria-pressed={suggestion.pattern === pattern}
          onClick={() => onChoose(suggestion.pattern)}
        >
          {suggestion.pattern === undefined ? (
            'Every call'
          ) : (
            <code>
              <Revealed text={suggestion.pattern} isCollapsed />
            </code>
          )}
        </button>
      ))}
    </fieldset>
  )

const ScopeChoice = ({ scope, onChoose }: { scope: Scope; onChoose: (scope: Scope) => void }) => {
  const name = useId()
  return (
    <fieldset className="remember-scope">
      <legend className="visually-hidden">Where</legend>
      {scopes.map(({ value, label }) => (
        <label key={value} className="choice">
          <input
            type="radio"
            name={name}
            checked={scope === value}
            onChange={() => onChoose(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

const scopes: readonly { value: Scope; label: string }[] = [
  { value: 'session', label: 'In this session' },
  { value: 'project', label: 'In all sessions of this project' },
]
