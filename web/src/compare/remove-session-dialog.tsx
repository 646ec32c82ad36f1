import { useApp } from '../app/use-app.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useSaving } from '../parts/use-saving.ts'

interface Props {
  id: string
  onClose: () => void
}

/** Deletes a session whose worktree has changes that are not committed. */
export const RemoveSessionDialog = ({ id, onClose }: Props) => {
  const { client, routes } = useApp()
  const remove = (worktree: 'keep' | 'delete') => async () => {
    await client.sessions.remove(id, { worktree })
    onClose()
    routes.go('/')
  }
  const keeping = useSaving(remove('keep'))
  const deleting = useSaving(remove('delete'))
  const isBusy = keeping.isSaving || deleting.isSaving
  return (
    <Dialog title="Delete this session?" onClose={onClose}>
      <form className="new-session" onSubmit={keeping.submit}>
        <p>Its git worktree has changes that are not committed.</p>
        <ProblemMessage reason={keeping.problem ?? deleting.problem} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" className="danger" disabled={isBusy} onClick={deleting.submit}>
            Delete both
          </button>
          <button type="submit" className="primary" disabled={isBusy}>
            Keep the worktree
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
