import { useState } from 'react'
import { withPasskey } from '../access/with-passkey.ts'
import { useApp } from '../app/use-app.ts'
import { Dialog } from '../parts/dialog.tsx'
import { DialogFooter } from '../parts/dialog-footer.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useSaving } from '../parts/use-saving.ts'

interface Props {
  id: string
  /** Display name of the agent. */
  agent: string
  onClose: () => void
}

/** Runs a shell command through the agent. The conversation shows its output. */
export const ShellDialog = ({ id, agent, onClose }: Props) => {
  const { client } = useApp()
  const [command, setCommand] = useState('')
  const { submit, isSaving, problem } = useSaving(async () => {
    await withPasskey(client, { kind: 'rule', id }, (options) =>
      client.sessions.shell(id, command.trim(), options),
    )
    onClose()
  })
  return (
    <Dialog title="Run a shell command" onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          Command
          <input
            value={command}
            onChange={(event) => setCommand(event.target.value)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
          />
        </label>
        <p className="choice-about">
          It runs in the directory of the session, without approval. {agent} gives its output to the
          model with your next message.
        </p>
        <ProblemMessage reason={problem} />
        <DialogFooter
          submitLabel={isSaving ? 'Starting…' : 'Run'}
          isDisabled={isSaving || command.trim() === ''}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
