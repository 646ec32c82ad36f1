import { useNow } from './clock.ts'
import { formatAgo, formatElapsed, formatLeft } from './format.ts'

interface AgoProps {
  at: number
  /** In a sentence it reads "5 min ago", in a column "5 min". */
  inSentence?: boolean
}

/** How long ago something happened. */
export const Ago = ({ at, inSentence = false }: AgoProps) => {
  const text = formatAgo(at, useNow(15_000))
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {inSentence && isDuration.test(text) ? `${text} ago` : text}
    </time>
  )
}

const isDuration = /^\d+ (min|h|d)$/

/** How long something has been going on; empty in its first second. */
export const Elapsed = ({ since }: { since: number }) => {
  const now = useNow(1000)
  const duration = formatElapsed(now - since)
  return duration !== '' && <span className="number">{duration}</span>
}

/** The time left until a moment. */
export const Countdown = ({ until }: { until: number }) => {
  const now = useNow(250)
  return <span className="number">{formatLeft(until, now)}</span>
}
