import type { ContextGauge } from '../../../src/events/index.ts'
import { formatTokens } from './format.ts'

/** From this percentage on, the context is nearly full. */
const highPercent = 80

/** How full the context window is. */
export const Gauge = ({ context }: { context: ContextGauge | null | undefined }) => {
  if (!context) return null
  const { used, window: size, percent } = context
  const label =
    size === null
      ? `${formatTokens(used)} tokens in context`
      : `Context: ${formatTokens(used)} of ${formatTokens(size)} tokens`
  if (percent === null)
    return (
      <span className="gauge-text number" title={label}>
        {formatTokens(used)}
      </span>
    )
  const shown = Math.min(100, Math.round(percent))
  return (
    <span className="gauge" title={label}>
      <span
        className={shown >= highPercent ? 'gauge-bar gauge-high' : 'gauge-bar'}
        role="img"
        aria-label={label}
      >
        <span className="gauge-fill" style={{ width: `${shown}%` }} />
      </span>
      <span className="gauge-text number">{shown}%</span>
    </span>
  )
}
