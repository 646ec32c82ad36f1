import { useEffect, useState } from 'react'
import type { FileDiff, TurnDiffReason } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { patchHunks } from '../diff/hunks.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { Fold } from '../parts/fold.tsx'
import { PathLabel } from '../parts/path-label.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'

/** The files that the last run changed; loaded again whenever a run ends. */
export const ChangesPanel = ({ id }: { id: string }) => {
  const { client, followed, prefs } = useApp()
  const { endedRuns } = useStore(followed.of(id))
  const [resource] = useState(() => createResource(() => client.sessions.turnDiff(id)))
  const { value, error, isLoading } = useStore(resource)
  const layout = useStore(prefs.diffLayout)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each run that ends may have changed files.
  useEffect(() => resource.load(), [resource, endedRuns])
  return (
    <div className="panel-body">
      <div className="panel-tools">
        <button
          type="button"
          className="quiet-button layout-choice"
          aria-pressed={layout === 'split'}
          onClick={() => prefs.diffLayout.set(layout === 'split' ? 'unified' : 'split')}
        >
          Side by side
        </button>
        <button type="button" className="quiet-button" onClick={resource.load} disabled={isLoading}>
          {isLoading ? 'Refreshing…' : 'Refresh'}
        </button>
      </div>
      <ProblemMessage title="Could not load the changes" reason={error} />
      {value?.source === 'none' && <p className="panel-empty">No run yet.</p>}
      {value?.source === 'tools' && <p className="panel-note">{reconstructed(value.reason)}</p>}
      {value && value.source !== 'none' && value.files.length === 0 && (
        <p className="panel-empty">No files changed.</p>
      )}
      {value?.files.map((file) => (
        <FileView key={file.path} file={file} />
      ))}
      {value?.truncated && <p className="panel-note">Not all changed files are shown.</p>}
    </div>
  )
}

const reconstructed = (reason: TurnDiffReason | undefined): string => {
  const why = reason && whyNotGit[reason]
  return `Reconstructed from the agent’s edits${why === undefined ? '' : ` (${why})`}.`
}

const whyNotGit: Record<TurnDiffReason, string> = {
  no_work_tree: 'no git repository',
  git_missing: 'git is not installed',
  git_failed: 'git failed',
  timed_out: 'git took too long',
  too_many_files: 'too many files changed',
  base_lost: 'the state before the run is not known',
}

const FileView = ({ file }: { file: FileDiff }) => {
  const { path, oldPath, status, kind, additions = 0, deletions = 0, diff } = file
  return (
    <Fold
      foldKey={`file-${path}`}
      className="file"
      isOpenAtFirst={additions + deletions < 400}
      head={
        <>
          <span className={`file-status file-${status}`}>{status}</span>
          <span className="file-path">
            <PathLabel path={oldPath === undefined ? path : `${oldPath} → ${path}`} />
          </span>
          <span className="file-count number">
            <ins>+{additions}</ins> <del>−{deletions}</del>
          </span>
        </>
      }
    >
      {() =>
        diff === undefined ? (
          <p className="panel-empty">{kind === 'huge' ? 'Too large to show.' : 'Binary file.'}</p>
        ) : (
          <DiffView hunks={patchHunks(diff)} label={`Changes to ${path}`} />
        )
      }
    </Fold>
  )
}
