import { useEffect, useState } from 'react'
import type { LoopInfo } from '../../../src/events/index.ts'
import { useAgentTitle } from '../agents/use-agent-title.ts'
import { PageFrame } from '../app/page-frame.tsx'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { formatCost, formatDuration, provenanceSign } from '../parts/format.ts'
import { Link } from '../parts/link.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { UnpricedNote } from '../parts/unpriced-note.tsx'
import { sessionPath } from '../state/route.ts'
import { IterationTable } from './iteration-table.tsx'
import { LoopButtons } from './loop-buttons.tsx'
import { LoopLimitsDialog } from './loop-limits-dialog.tsx'
import { LoopMeters, useLoopDuration } from './loop-meters.tsx'
import { loopName } from './loop-name.ts'
import { LoopStateLabel, useWaitingIteration } from './loop-state-label.tsx'
import '../style/loops.css'

/** One loop: its state, limits and iterations. */
export const LoopScreen = ({ id }: { id: string }) => {
  const { client, overview } = useApp()
  const live = useStore(overview).loops.find((each) => each.id === id)
  const [resource] = useState(() => createResource(() => client.loops.get(id)))
  const { value, error } = useStore(resource)
  const isListed = live !== undefined
  useEffect(() => {
    // The overview leaves out loops that were over long ago.
    if (!isListed) resource.load()
  }, [resource, isListed])
  const loop = live ?? value
  return (
    <PageFrame className="loop-page">
      {!loop && <ProblemMessage title="Could not load the loop" reason={error} />}
      {loop && <LoopView loop={loop} />}
    </PageFrame>
  )
}

const LoopView = ({ loop }: { loop: LoopInfo }) => {
  const [isEditing, setEditing] = useState(false)
  const mayPrompt = useMay('prompt')
  const waiting = useWaitingIteration(loop)
  const reason = loop.end?.message ?? loop.pauseReason
  return (
    <>
      <div className="loop-title">
        <h1 dir="auto">
          <Revealed text={loopName(loop)} isCollapsed />
        </h1>
        <LoopStateLabel loop={loop} />
        <LoopButtons loop={loop} />
      </div>
      {waiting && (
        <Link to={sessionPath(waiting.id)} className="loop-needs">
          Answer the request of iteration {waiting.iteration}
        </Link>
      )}
      {reason !== undefined && (
        <p className="loop-reason" dir="auto">
          <Revealed text={reason} isCollapsed />
        </p>
      )}
      <section aria-label="Limits">
        <LoopMeters loop={loop} />
        {loop.state !== 'done' && mayPrompt && (
          <button type="button" className="loop-change" onClick={() => setEditing(true)}>
            Change the limits…
          </button>
        )}
      </section>
      <LoopFacts loop={loop} />
      <UnpricedNote models={loop.usage.unpriced} />
      <section aria-label="Iterations">
        {loop.iterations.length === 0 ? (
          <p className="loop-reason">No iteration has started yet.</p>
        ) : (
          <IterationTable iterations={loop.iterations} />
        )}
        {loop.iterationCount > loop.iterations.length && (
          <p className="loop-reason">
            The last {loop.iterations.length} of {loop.iterationCount} iterations.
          </p>
        )}
      </section>
      {isEditing && <LoopLimitsDialog loop={loop} onClose={() => setEditing(false)} />}
    </>
  )
}

const LoopFacts = ({ loop }: { loop: LoopInfo }) => {
  const { model, cwd, promise, prompt, promptFile, schedule, usage } = loop
  const durationMs = useLoopDuration(loop)
  const titleOf = useAgentTitle()
  return (
    <dl className="loop-facts">
      <dt>Agent</dt>
      <dd>
        {titleOf(loop)}
        {model !== undefined && ` · ${model}`}
      </dd>
      <dt>Directory</dt>
      <dd>
        <code>{cwd}</code>
      </dd>
      <dt>Ends with</dt>
      <dd>
        <code>
          <Revealed text={promise} />
        </code>
      </dd>
      {schedule && (
        <>
          <dt>Schedule</dt>
          <dd>{scheduleText(schedule)}</dd>
        </>
      )}
      <dt>Time at work</dt>
      <dd className="number">{formatDuration(durationMs)}</dd>
      <dt>Cost</dt>
      <dd className="number">
        {provenanceSign(usage.provenance.cost)}
        {formatCost(usage.costUsd)}
      </dd>
      <dt>Prompt</dt>
      <dd>
        {promptFile === undefined ? (
          <div className="loop-prompt" dir="auto">
            <Revealed text={prompt ?? ''} isCollapsed />
          </div>
        ) : (
          <code>
            <Revealed text={promptFile} />
          </code>
        )}
      </dd>
    </dl>
  )
}

const scheduleText = ({ everyMs, cron, timezone }: NonNullable<LoopInfo['schedule']>): string => {
  if (everyMs !== undefined) return `Every ${formatDuration(everyMs)}`
  return timezone === undefined ? `${cron}` : `${cron} (${timezone})`
}
