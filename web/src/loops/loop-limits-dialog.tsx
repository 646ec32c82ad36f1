import { useState } from 'react'
import type { LoopInfo } from '../../../src/events/index.ts'
import { useApp } from '../app/use-app.ts'
import { Dialog } from '../parts/dialog.tsx'
import { DialogFooter } from '../parts/dialog-footer.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useSaving } from '../parts/use-saving.ts'
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
  const { submit, isSaving, problem } = useSaving(async () => {
    await client.loops.update(loop.id, { limits: readLimitChange(limits) })
    onClose()
  })
  return (
    <Dialog title="Limits of the loop" onClose={onClose}>
      <form onSubmit={submit}>
        <LoopLimitFields limits={limits} defaults={noDefaults} onChange={setLimits} />
        <p className="optional">A field that is empty removes its limit.</p>
        <ProblemMessage reason={problem} />
        <DialogFooter submitLabel="Save" isDisabled={isSaving} onClose={onClose} />
      </form>
    </Dialog>
  )
}
