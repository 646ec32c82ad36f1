import { type FormEvent, useState } from 'react'
import { reasonOf } from '../../../src/shared/reason.ts'

/** The state of a form that is saved: whether that is in progress, and why it failed. */
export const useSaving = (save: () => Promise<void>) => {
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<string>()
  const run = async () => {
    setSaving(true)
    setProblem(undefined)
    try {
      await save()
    } catch (cause) {
      setProblem(reasonOf(cause))
    }
    setSaving(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run()
  }
  return { submit, isSaving, problem }
}
