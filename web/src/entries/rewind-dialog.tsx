import { useEffect, useState } from 'react'
import type { RewindResult } from '../../../src/api/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { withPasskey } from '../access/with-passkey.ts'
import { useApp } from '../app/use-app.ts'
import { Dialog } from '../parts/dialog.tsx'
import { DialogFooter } from '../parts/dialog-footer.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useSaving } from '../parts/use-saving.ts'

interface Props {
  id: string
  messageId: string
  onClose: () => void
}

/** Restores files to their state before a message, after it has shown which ones. */
export const RewindDialog = ({ id, messageId, onClose }: Props) => {
  const { client, toasts } = useApp()
  const [trial, setTrial] = useState<RewindResult>()
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    client.sessions
      .rewind(id, { beforeMessage: messageId, dryRun: true })
      .then(setTrial, (cause: unknown) => setFailure(reasonOf(cause)))
  }, [client, id, messageId])
  const { submit, isSaving, problem } = useSaving(async () => {
    const { files } = await withPasskey(client, { kind: 'rule', id }, (options) =>
      client.sessions.rewind(id, { beforeMessage: messageId }, options),
    )
    toasts.show(files.length === 1 ? 'Restored 1 file.' : `Restored ${files.length} files.`)
    onClose()
  })
  return (
    <Dialog title="Restore files" onClose={onClose}>
      <form onSubmit={submit}>
        {trial ? (
          <Trial trial={trial} />
        ) : (
          failure === undefined && <p className="choice-about">Checking what would change…</p>
        )}
        <ProblemMessage reason={failure ?? problem} />
        <DialogFooter
          submitLabel={isSaving ? 'Restoring…' : 'Restore'}
          isDisabled={isSaving || !trial || trial.files.length === 0}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

const Trial = ({ trial: { files, insertions, deletions } }: { trial: RewindResult }) => {
  if (files.length === 0)
    return <p className="choice-about">The files are already in the state before this message.</p>
  return (
    <>
      <p>
        {files.length === 1 ? 'This file goes' : `These ${files.length} files go`} back to the state
        before the message
        {insertions !== undefined && deletions !== undefined && ` (+${insertions} −${deletions})`}:
      </p>
      <ul className="restored-files">
        {files.slice(0, shownFiles).map((path) => (
          <li key={path}>
            <code dir="auto">{path}</code>
          </li>
        ))}
        {files.length > shownFiles && <li>and {files.length - shownFiles} more</li>}
      </ul>
      <p className="choice-about">
        What shell commands changed stays. So does the conversation: to continue before the message,
        fork the session there.
      </p>
    </>
  )
}

/** How many files the dialog names. */
const shownFiles = 50
