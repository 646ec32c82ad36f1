import { useNow } from './clock.ts'
import { formatAgo } from './format.ts'

/** How long ago something was. */
export const Ago = ({ at }: { at: number }) => {
  const now = useNow(15_000)
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatAgo(at, now)}
    </time>
  )
}
