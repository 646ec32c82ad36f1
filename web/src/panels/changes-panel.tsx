import { useEffect, useState } from 'react'
import type { TurnDiffReason } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { patchHunks } from '../diff/hunks.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { ChangedFile } from './changed-file.tsx'

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
        <ChangedFile
          key={file.path}
          file={file}
          hunks={file.diff === undefined ? undefined : () => patchHunks(file.diff ?? '')}
        />
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
