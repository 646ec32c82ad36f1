import { useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { LimitField } from '../limits/limit-fields.tsx'
import { readAmount, readField } from '../limits/read-limits.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useSaving } from '../parts/use-saving.ts'

const nothing = { model: '', input: '', output: '', cacheRead: '', cacheWrite: '' }

/** Sets the price of a model. */
export const SetPriceForm = ({ onSet }: { onSet: () => void }) => {
  const { client } = useApp()
  const [typed, setTyped] = useState(nothing)
  const { submit, isSaving, problem } = useSaving(async () => {
    await client.setPrice(changeOf(typed))
    setTyped(nothing)
    onSet()
  })
  const field = (name: keyof typeof nothing, label: string, placeholder: string) => (
    <LimitField
      label={label}
      placeholder={placeholder}
      value={typed[name]}
      onChange={(value) => setTyped({ ...typed, [name]: value })}
    />
  )
  return (
    <form className="price-form" onSubmit={submit}>
      <label>
        Model
        <input
          value={typed.model}
          onChange={(event) => setTyped({ ...typed, model: event.target.value })}
          placeholder="Name of the model, as the agent uses it"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
        />
      </label>
      <p className="cost-note">US dollars per million tokens</p>
      <div className="limit-fields">
        {field('input', 'Input', '3')}
        {field('output', 'Output', '15')}
        {field('cacheRead', 'Cache read', 'As input')}
        {field('cacheWrite', 'Cache write', 'As input')}
      </div>
      <ProblemMessage reason={problem} />
      <button type="submit" className="primary" disabled={isSaving}>
        Set price
      </button>
    </form>
  )
}

/** What was typed, as the API expects it. Throws an error that says what is wrong. */
const changeOf = (typed: typeof nothing) => {
  const model = typed.model.trim()
  if (model === '') throw new Error('Name a model.')
  const read = (name: string, text: string) =>
    readField(text, readPrice, `${name} must be an amount such as 2.50.`)
  const [input, output] = [read('Input', typed.input), read('Output', typed.output)]
  if (input === undefined || output === undefined) throw new Error('Set input and output.')
  const [cacheRead, cacheWrite] = [
    read('Cache read', typed.cacheRead),
    read('Cache write', typed.cacheWrite),
  ]
  return {
    model,
    price: {
      input,
      output,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    },
  }
}

/** A price may be 0, other than a limit. */
const readPrice = (text: string): number | undefined =>
  /^\s*0(?:[.,]0+)?\s*$/.test(text) ? 0 : readAmount(text)
