import { useNow } from './clock.ts'
import { formatLeft } from './format.ts'

/** What remains until a moment. */
export const Countdown = ({ until }: { until: number }) => {
  const now = useNow(250)
  return <span className="number">{formatLeft(until, now)}</span>
}
