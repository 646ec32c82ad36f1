import type { ComparedSession, WorktreeInfo } from '../../../src/api/index.ts'
import { useAgentTitle } from '../agents/use-agent-title.ts'
import { useApp } from '../app/use-app.ts'
import { Dialog } from '../parts/dialog.tsx'
import { DialogFooter } from '../parts/dialog-footer.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useSaving } from '../parts/use-saving.ts'

interface Props {
  /** The agent whose worktree stays. */
  keep: ComparedSession | undefined
  /** The worktrees of all agents. */
  worktrees: readonly WorktreeInfo[]
  onClose: () => void
  onDone: () => void
}

/** Deletes the worktrees of a comparison, except one. Says first what is lost. */
export const CleanUpDialog = ({ keep, worktrees, onClose, onDone }: Props) => {
  const { client } = useApp()
  const titleOf = useAgentTitle()
  const deleted = worktrees.filter(({ path }) => path !== keep?.session.worktree?.path)
  const { submit, isSaving, problem } = useSaving(async () => {
    try {
      for (const { path } of deleted) await client.worktrees.remove(path, { force: true })
      onClose()
    } finally {
      onDone()
    }
  })
  return (
    <Dialog
      title={keep ? `Keep the result of ${titleOf(keep.session)}` : 'Delete all worktrees'}
      onClose={onClose}
    >
      <form className="new-session" onSubmit={submit}>
        <p>
          {keep ? 'The worktrees of the other agents are deleted:' : 'These worktrees are deleted:'}
        </p>
        <ul className="compare-deleted">
          {deleted.map(({ path, branch, changedFiles, commits }) => (
            <li key={path}>
              <code>{branch ?? path}</code> <span>{lossOf(changedFiles, commits)}</span>
            </li>
          ))}
        </ul>
        <p className="choice-about">The sessions stay, with their conversations.</p>
        <ProblemMessage reason={problem} />
        <DialogFooter
          submitLabel={isSaving ? 'Deleting…' : 'Delete'}
          isDisabled={isSaving || deleted.length === 0}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

const lossOf = (changedFiles: number, commits: number): string => {
  const lost =
    changedFiles === 0
      ? 'nothing is lost'
      : `${changedFiles} ${changedFiles === 1 ? 'file with changes is' : 'files with changes are'} lost`
  return commits === 0 ? lost : `${lost}; the branch stays`
}
