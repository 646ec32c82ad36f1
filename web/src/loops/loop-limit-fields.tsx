import { LimitField, LimitFields } from '../limits/limit-fields.tsx'
import type { TypedLoopLimits } from './loop-limits.ts'

interface Props {
  limits: TypedLoopLimits
  /** What an empty field means. */
  defaults: Pick<TypedLoopLimits, 'iterations' | 'failures' | 'stale'>
  onChange: (limits: TypedLoopLimits) => void
}

/** What the server sets for a new loop. */
export const newLoopDefaults = { iterations: '100', failures: '5', stale: '3' }

export const noDefaults = { iterations: 'No limit', failures: 'No limit', stale: 'No limit' }

/** Fields for the limits of a loop. */
export const LoopLimitFields = ({ limits, defaults, onChange }: Props) => (
  <fieldset className="loop-limits">
    <legend>
      Limits <span className="optional">the loop ends at the first one</span>
    </legend>
    <div className="limit-fields">
      <LimitField
        label="Iterations"
        placeholder={defaults.iterations}
        value={limits.iterations}
        onChange={(iterations) => onChange({ ...limits, iterations })}
      />
      <LimitField
        label="Failures in a row"
        placeholder={defaults.failures}
        value={limits.failures}
        onChange={(failures) => onChange({ ...limits, failures })}
      />
      <LimitField
        label="Same answer in a row"
        placeholder={defaults.stale}
        value={limits.stale}
        onChange={(stale) => onChange({ ...limits, stale })}
      />
    </div>
    <LimitFields limits={limits} onChange={(changed) => onChange({ ...limits, ...changed })} />
  </fieldset>
)
