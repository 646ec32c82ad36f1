import { useState } from 'react'
import type { SessionInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { LimitFields } from '../limits/limit-fields.tsx'
import { readLimits, typedLimits } from '../limits/read-limits.ts'
import { Dialog } from '../parts/dialog.tsx'
import { DialogFooter } from '../parts/dialog-footer.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useSaving } from '../parts/use-saving.ts'

interface Props {
  id: string
  budget: SessionInfo['budget']
  onClose: () => void
}

/** Sets, changes or removes the limits of a session. */
export const SessionBudgetDialog = ({ id, budget, onClose }: Props) => {
  const { client } = useApp()
  const [limits, setLimits] = useState(() => typedLimits(budget?.limits))
  const { submit, isSaving, problem } = useSaving(async () => {
    const read = readLimits(limits)
    const isEmpty = Object.keys(read).length === 0
    await client.sessions.update(id, {
      budget: isEmpty ? null : { ...budget, limits: read },
    })
    onClose()
  })
  return (
    <Dialog title="Budget of this session" onClose={onClose}>
      <form onSubmit={submit}>
        <LimitFields limits={limits} onChange={setLimits} />
        <p className="optional">
          When a limit is reached, the agent is paused and you are asked. A field that is empty sets
          no limit.
        </p>
        <ProblemMessage reason={problem} />
        <DialogFooter submitLabel="Save" isDisabled={isSaving} onClose={onClose} />
      </form>
    </Dialog>
  )
}
