import { useState } from 'react'
import type { ModeChoice } from '../../../src/events/types.ts'
import { withPasskey } from '../access/with-passkey.ts'
import { useApp } from '../app/use-app.ts'
import { Dialog } from '../parts/dialog.tsx'
import { DialogFooter } from '../parts/dialog-footer.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useSaving } from '../parts/use-saving.ts'

interface Props {
  id: string
  modes: readonly ModeChoice[]
  mode: string | undefined
  onClose: () => void
}

/** Changes what the agent of a session may do without approval. */
export const ModeDialog = ({ id, modes, mode, onClose }: Props) => {
  const { client } = useApp()
  const [chosen, setChosen] = useState(mode)
  const { submit, isSaving, problem } = useSaving(async () => {
    if (chosen !== undefined && chosen !== mode)
      await withPasskey(client, { kind: 'rule', id }, (options) =>
        client.sessions.mode(id, chosen, options),
      )
    onClose()
  })
  return (
    <Dialog title="Permission mode" onClose={onClose}>
      <form onSubmit={submit}>
        <div role="radiogroup" aria-label="Permission mode">
          {modes.map((each) => (
            <label key={each.id} className="choice">
              <input
                type="radio"
                name="mode"
                checked={each.id === chosen}
                onChange={() => setChosen(each.id)}
              />
              <span>{each.label ?? each.id}</span>
              <span className="choice-about">{aboutMode(each)}</span>
            </label>
          ))}
        </div>
        <ProblemMessage reason={problem} />
        <DialogFooter
          submitLabel={isSaving ? 'Saving…' : 'Save'}
          isDisabled={isSaving}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

const aboutMode = ({ description = '', needsRestart }: ModeChoice): string =>
  needsRestart ? `${description} The agent starts again.`.trim() : description
