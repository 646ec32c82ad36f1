import type { ComparedSession, WorktreeInfo } from '../../../src/api/index.ts'
import { useAgentTitle } from '../agents/use-agent-title.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Link } from '../parts/link.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { sessionPath } from '../state/route.ts'

interface Props {
  compared: ComparedSession
  /** Undefined if it was deleted. */
  worktree: WorktreeInfo | undefined
  /** Deletes the worktrees of the others. Absent if that is not possible. */
  onKeep?: () => void
}

/** How many files are listed. The session has all of them. */
const shownFiles = 20

/** What one agent answered and changed, and how to take it. */
export const ResultCard = ({ compared, worktree, onKeep }: Props) => {
  const { session, text, files, state } = compared
  const title = useAgentTitle()(session)
  const commands = worktree && takeCommands(worktree)
  const isWorking = state === 'running' || state === 'approval'
  return (
    <section className="compare-result" aria-label={`Result of ${title}`}>
      <h2>
        <Link to={sessionPath(session.id)}>{title}</Link>
      </h2>
      {text === '' ? (
        <p className="loop-reason">{isWorking ? 'No answer yet.' : 'No answer.'}</p>
      ) : (
        <div className="compare-text" dir="auto">
          <Markdown text={text} isStreaming={false} />
        </div>
      )}
      {files.length > 0 && (
        <ul className="compare-files">
          {files.slice(0, shownFiles).map(({ path, additions = 0, deletions = 0 }) => (
            <li key={path}>
              <code>
                <Revealed text={path} />
              </code>
              <span className="number">
                +{additions} −{deletions}
              </span>
            </li>
          ))}
          {files.length > shownFiles && (
            <li>
              <Link to={sessionPath(session.id)}>All {files.length} files</Link>
            </li>
          )}
        </ul>
      )}
      {worktree ? (
        <p className="loop-reason">
          Branch <code>{worktree.branch ?? 'none'}</code>
        </p>
      ) : (
        session.worktree && <p className="loop-reason">Its worktree was deleted.</p>
      )}
      {commands !== undefined && !isWorking && (
        <div className="compare-take">
          <code>{commands}</code>
          <CopyButton text={commands} label="Copy the commands that take this result" />
        </div>
      )}
      {onKeep && (
        <button type="button" onClick={onKeep}>
          Keep this one…
        </button>
      )}
    </section>
  )
}

/** What a person runs in the project to take a result. Undefined if there is none. */
const takeCommands = ({ path, branch, state, commits }: WorktreeInfo): string | undefined => {
  if (branch === undefined || (state !== 'changed' && commits === 0)) return undefined
  const at = `git -C '${path.replaceAll("'", "'\\''")}'`
  const commit = state === 'changed' ? `${at} add -A && ${at} commit -m '${branch}' && ` : ''
  return `${commit}git merge ${branch}`
}
