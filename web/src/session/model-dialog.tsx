import { type FormEvent, useEffect, useMemo, useState } from 'react'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SuggestedField } from '../parts/suggested-field.tsx'

interface Props {
  id: string
  /** The levels of thinking that the agent has. */
  levels: readonly string[]
  onClose: () => void
}

/** Changes the model of a session and its thinking level. */
export const ModelDialog = ({ id, levels, onClose }: Props) => {
  const { client, followed } = useApp()
  const { transcript } = useStore(followed.of(id))
  const thinkingLevel = transcript?.thinkingLevel
  const models = useMemo(() => createResource(() => client.sessions.models(id)), [client, id])
  const { value } = useStore(models)
  const [model, setModel] = useState(transcript?.model ?? '')
  const [level, setLevel] = useState(thinkingLevel ?? '')
  const [problem, setProblem] = useState<string>()
  useEffect(() => models.load(), [models])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const change = {
      ...(model.trim() !== '' && model.trim() !== transcript?.model && { model: model.trim() }),
      ...(level.trim() !== '' && level.trim() !== thinkingLevel && { thinkingLevel: level.trim() }),
    }
    if (Object.keys(change).length === 0) return onClose()
    client.sessions.model(id, change).then(onClose, (cause: unknown) => setProblem(reasonOf(cause)))
  }
  return (
    <Dialog title={levels.length > 0 ? 'Model and thinking level' : 'Model'} onClose={onClose}>
      <form onSubmit={submit}>
        <SuggestedField
          label="Model"
          value={model}
          suggestions={value?.models ?? []}
          onChange={setModel}
        />
        {levels.length > 0 && (
          <label>
            Thinking level
            <select value={level} onChange={(event) => setLevel(event.target.value)}>
              {!levels.includes(level) && <option value={level}>{level || 'Unchanged'}</option>}
              {levels.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          </label>
        )}
        <ProblemMessage reason={problem} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
