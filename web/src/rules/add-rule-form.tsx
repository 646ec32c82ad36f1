import { type FormEvent, useState } from 'react'
import type { ApprovalRule } from '../../../src/api/index.ts'
import { effectLabels } from './rule-item.tsx'

/** A rule that a person adds. */
export type RuleInput = Pick<ApprovalRule, 'scope' | 'effect' | 'tool' | 'pattern'>

interface Props {
  scopes: readonly ApprovalRule['scope'][]
  onAdd: (rule: RuleInput) => Promise<void>
}

/** Adds a rule by hand. */
export const AddRuleForm = ({ scopes, onAdd }: Props) => {
  const [effect, setEffect] = useState<ApprovalRule['effect']>('allow')
  const [scope, setScope] = useState(scopes[0] ?? 'project')
  const [tool, setTool] = useState('')
  const [pattern, setPattern] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const rule = { scope, effect, tool: tool.trim(), ...(pattern !== '' && { pattern }) }
    void onAdd(rule).then(() => setPattern(''))
  }
  return (
    <form className="rule-form" onSubmit={submit}>
      <h3>Add a rule</h3>
      <Choice
        name="Effect"
        value={effect}
        labels={effectLabels}
        values={effects}
        onChange={setEffect}
      />
      {scopes.length > 1 && (
        <Choice
          name="Where"
          value={scope}
          labels={scopeLabels}
          values={scopes}
          onChange={setScope}
        />
      )}
      <label>
        Tool
        <input
          className="mono"
          value={tool}
          placeholder="Bash"
          onChange={(event) => setTool(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <label>
        Pattern <span className="optional">optional</span>
        <input
          className="mono"
          value={pattern}
          placeholder="git diff *"
          onChange={(event) => setPattern(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <p className="panel-note rule-help">
        For commands: their words. A last <code>*</code> stands for any further words. For files: a
        path, or a directory and <code>/**</code>. Without a pattern, a rule covers every call; only
        tools that read can be allowed that way.
      </p>
      <button type="submit" disabled={tool.trim() === ''}>
        Add rule
      </button>
    </form>
  )
}

interface ChoiceProps<Value extends string> {
  name: string
  value: Value
  values: readonly Value[]
  labels: Readonly<Record<Value, string>>
  onChange: (value: Value) => void
}

const Choice = <Value extends string>(props: ChoiceProps<Value>) => {
  const { name, value, values, labels, onChange } = props
  return (
    <label>
      {name}
      <select
        value={value}
        onChange={(event) => {
          const chosen = values.find((each) => each === event.target.value)
          if (chosen !== undefined) onChange(chosen)
        }}
      >
        {values.map((each) => (
          <option key={each} value={each}>
            {labels[each]}
          </option>
        ))}
      </select>
    </label>
  )
}

const effects = ['allow', 'ask', 'deny'] as const

const scopeLabels: Record<ApprovalRule['scope'], string> = {
  session: 'This session',
  project: 'This project',
}
