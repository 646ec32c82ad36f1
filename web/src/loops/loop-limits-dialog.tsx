import { type FormEvent, useState } from 'react'
import type { LoopInfo } from '../../../src/events/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { LoopLimitFields, noDefaults } from './loop-limit-fields.tsx'
import { readLimitChange, typedLoopLimits } from './loop-limits.ts'

interface Props {
  loop: LoopInfo
  onClose: () => void
}

/** Changes the limits of a loop while it goes on. */
export const LoopLimitsDialog = ({ loop, onClose }: Props) => {
  const { client } = useApp()
  const [limits, setLimits] = useState(() => typedLoopLimits(loop.limits))
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const save = async () => {
    setSending(true)
    setProblem(undefined)
    try {
      await client.loops.update(loop.id, { limits: readLimitChange(limits) })
      onClose()
    } catch (cause) {
      setProblem(reasonOf(cause))
      setSending(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  return (
    <Dialog title="Limits of the loop" onClose={onClose}>
      <form onSubmit={submit}>
        <LoopLimitFields limits={limits} defaults={noDefaults} onChange={setLimits} />
        <p className="optional">A field that is empty removes its limit.</p>
        <ProblemMessage reason={problem} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={isSending}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
