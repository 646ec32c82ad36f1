import { useMemo } from 'react'
import type { Hunk } from '../diff/rows.ts'
import { useStore } from '../lib/use-store.ts'
import { changesAt } from '../replay/changes-at.ts'
import type { EventLog } from '../replay/event-log.ts'
import { ChangedFile } from './changed-file.tsx'

interface Props {
  log: EventLog
  /** How many events the moment has. */
  position: number
}

/** The files that the run of an earlier moment had changed until then. */
export const PastChangesPanel = ({ log, position }: Props) => {
  const { events } = useStore(log)
  const changes = useMemo(() => changesAt(events, position), [events, position])
  return (
    <div className="panel-body">
      <p className="panel-note">Reconstructed from the agent’s edits.</p>
      {changes.length === 0 && <p className="panel-empty">No files changed.</p>}
      {changes.map(({ path, status, hunks }) => (
        <ChangedFile
          key={path}
          file={{
            path,
            status,
            kind: 'text',
            additions: countOf(hunks, '+'),
            deletions: countOf(hunks, '-'),
          }}
          hunks={() => hunks}
        />
      ))}
    </div>
  )
}

const countOf = (hunks: readonly Hunk[], sign: '+' | '-'): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0)
