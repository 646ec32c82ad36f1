import { useState } from 'react'
import type { SessionInfo } from '../../../src/api/index.ts'
import type { Totals } from '../../../src/events/index.ts'
import { allTokens } from '../../../src/events/usage-sums.ts'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { useStore } from '../lib/use-store.ts'
import { CostMeter, LimitMeter } from '../loops/loop-meters.tsx'
import { formatDuration, formatTokens } from '../parts/format.ts'
import { isReadOnly } from '../session/is-read-only.ts'
import { SessionBudgetDialog } from './session-budget-dialog.tsx'

interface Props {
  id: string
  totals: Totals | undefined
}

/** The session’s own limits: how much of them is used, and a form to change them. */
export const SessionBudgetSection = ({ id, totals }: Props) => {
  const session = useStore(useApp().overview).sessions.find((each) => each.id === id)
  const mayPrompt = useMay('prompt')
  const [isEditing, setEditing] = useState(false)
  if (!session || isReadOnly(session)) return null
  return (
    <section className="session-budget">
      <h3>Budget of this session</h3>
      {session.budget ? (
        <BudgetMeters session={session} limits={session.budget.limits} totals={totals} />
      ) : (
        <p className="panel-note">No limits.</p>
      )}
      {mayPrompt && (
        <button type="button" onClick={() => setEditing(true)}>
          {session.budget ? 'Change the limits…' : 'Set limits…'}
        </button>
      )}
      {isEditing && (
        <SessionBudgetDialog id={id} budget={session.budget} onClose={() => setEditing(false)} />
      )}
    </section>
  )
}

interface MetersProps {
  session: SessionInfo
  limits: NonNullable<SessionInfo['budget']>['limits']
  totals: Totals | undefined
}

const BudgetMeters = ({ session: { workedMs = 0 }, limits, totals }: MetersProps) => (
  <div className="meters">
    <CostMeter usage={totals} limit={limits.costUsd} />
    <LimitMeter
      label="Tokens"
      spent={totals ? allTokens(totals) : 0}
      limit={limits.tokens}
      format={formatTokens}
    />
    <LimitMeter label="Time" spent={workedMs} limit={limits.durationMs} format={formatDuration} />
  </div>
)
