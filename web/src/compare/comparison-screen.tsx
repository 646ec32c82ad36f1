import { useEffect, useState } from 'react'
import type { ComparedSession, Comparison, WorktreeInfo } from '../../../src/api/index.ts'
import { sessionName } from '../../../src/client/index.ts'
import { PageFrame } from '../app/page-frame.tsx'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { CleanUpDialog } from './clean-up-dialog.tsx'
import { ComparisonTable } from './comparison-table.tsx'
import { ResultCard } from './result-card.tsx'
import '../style/loops.css'
import '../style/compare.css'

/** Agents that got the same prompt: a row for each, and their results side by side. */
export const ComparisonScreen = ({ id }: { id: string }) => {
  const { compared, worktrees, error, reload } = useComparison(id)
  return (
    <PageFrame className="compare-page">
      {!compared && <ProblemMessage title="Could not load the comparison" reason={error} />}
      {compared && <ComparisonView compared={compared} worktrees={worktrees} onChanged={reload} />}
    </PageFrame>
  )
}

/** A comparison, loaded again when one of its agents starts or stops to do something. */
const useComparison = (id: string) => {
  const { client, overview } = useApp()
  const [resource] = useState(() => createResource(() => client.comparisons.get(id)))
  const [places] = useState(() =>
    createResource(() => client.worktrees.list(projectOf(resource.get().value))),
  )
  const { value, error } = useStore(resource)
  const live = useStore(overview).sessions.filter((each) => each.comparisonId === id)
  const moves = live.map(({ state, activity }) => `${state} ${activity?.kind}`).join()
  useEffect(() => {
    // What changed: not while a model only writes on.
    if (moves !== undefined) resource.load()
    places.load()
  }, [resource, places, moves])
  const compared: Comparison | undefined = value && {
    ...value,
    agents: value.agents.map((each) => ({
      ...each,
      session: live.find((session) => session.id === each.session.id) ?? each.session,
    })),
  }
  const reload = () => {
    resource.load()
    places.load()
  }
  return { compared, error, reload, worktrees: useStore(places).value ?? [] }
}

const projectOf = (compared: Comparison | undefined): { projectId?: string } =>
  compared?.projectId === undefined ? {} : { projectId: compared.projectId }

interface ViewProps {
  compared: Comparison
  worktrees: readonly WorktreeInfo[]
  onChanged: () => void
}

const ComparisonView = ({ compared, worktrees, onChanged }: ViewProps) => {
  const { agents } = compared
  /** What the person wants to keep: a session, or nothing. */
  const [cleaning, setCleaning] = useState<{ keep?: ComparedSession }>()
  const mayDelete = useMay('admin')
  const [first] = agents
  const left = worktrees.filter(({ path }) =>
    agents.some(({ session }) => session.worktree?.path === path),
  )
  return (
    <>
      <div className="loop-title">
        <h1 dir="auto">
          <Revealed text={first ? sessionName(first.session) : 'Comparison'} isCollapsed />
        </h1>
        {mayDelete && left.length > 0 && (
          <div className="loop-buttons">
            <button type="button" onClick={() => setCleaning({})}>
              Delete all worktrees…
            </button>
          </div>
        )}
      </div>
      <ComparisonTable agents={agents} />
      <div className="compare-results">
        {agents.map((each) => (
          <ResultCard
            key={each.session.id}
            compared={each}
            worktree={left.find(({ path }) => path === each.session.worktree?.path)}
            {...(mayDelete &&
              left.length > 1 &&
              hasResult(each) && { onKeep: () => setCleaning({ keep: each }) })}
          />
        ))}
      </div>
      {cleaning && (
        <CleanUpDialog
          keep={cleaning.keep}
          worktrees={left}
          onClose={() => setCleaning(undefined)}
          onDone={onChanged}
        />
      )}
    </>
  )
}

/** Whether there is something to keep. */
const hasResult = ({ text, files }: ComparedSession): boolean => text !== '' || files.length > 0
