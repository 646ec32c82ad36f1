import { useNow } from './clock.ts'
import { formatElapsed } from './format.ts'

/** How long something has been going on. */
export const Elapsed = ({ since }: { since: number }) => {
  const now = useNow(1000)
  const words = formatElapsed(now - since)
  return words !== '' && <span className="number">{words}</span>
}
