import type { FileDiff } from '../../../src/api/index.ts'
import { DiffView } from '../diff/diff-view.tsx'
import type { Hunk } from '../diff/rows.ts'
import { Fold } from '../parts/fold.tsx'
import { PathLabel } from '../parts/path-label.tsx'

interface Props {
  file: Omit<FileDiff, 'diff'>
  /** Reads the hunks; absent if they cannot be shown. */
  hunks: (() => readonly Hunk[]) | undefined
}

/** A file that was changed, with its diff. */
export const ChangedFile = ({ file, hunks }: Props) => {
  const { path, oldPath, status, kind, additions = 0, deletions = 0 } = file
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
        hunks ? (
          <DiffView hunks={hunks()} label={`Changes to ${path}`} />
        ) : (
          <p className="panel-empty">{kind === 'huge' ? 'Too large to show.' : 'Binary file.'}</p>
        )
      }
    </Fold>
  )
}
