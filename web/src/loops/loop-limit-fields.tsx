import { LimitField, LimitFields } from '../limits/limit-fields.tsx'
import type { TypedLoopLimits } from './loop-limits.ts'

interface Props {
  limits: TypedLoopLimits
  onChange: (limits: TypedLoopLimits) => void
}

/** Fields for the limits of a loop. */
export const LoopLimitFields = ({ limits, onChange }: Props) => (
  <fieldset className="loop-limits">
    <legend>
      Limits <span className="optional">the loop ends at the first one</span>
    </legend>
    <div className="limit-fields">
      <LimitField
        label="Iterations"
        placeholder="100"
        value={limits.iterations}
        onChange={(iterations) => onChange({ ...limits, iterations })}
      />
      <LimitField
        label="Failures in a row"
        placeholder="5"
        value={limits.failures}
        onChange={(failures) => onChange({ ...limits, failures })}
      />
      <LimitField
        label="Same answer in a row"
        placeholder="3"
        value={limits.stale}
        onChange={(stale) => onChange({ ...limits, stale })}
      />
    </div>
    <LimitFields limits={limits} onChange={(changed) => onChange({ ...limits, ...changed })} />
  </fieldset>
)
