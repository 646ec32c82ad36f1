import { useEffect, useState } from 'react'
import type { ContextGauge } from '../../../src/events/index.ts'
import { useApp } from '../app/use-app.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { formatCount, formatTokens } from '../parts/format.ts'

interface Props {
  id: string
  /** How many runs have ended: the parts are loaded again after each. */
  endedRuns: number
  context: ContextGauge | null | undefined
  /** Whether a replay shows an earlier moment. What the server reports is the present. */
  isPast: boolean
}

const sources: Record<ContextGauge['source'], string> = {
  last_call: 'from the last model call',
  compaction: 'from the last compaction',
  agent: 'reported by the agent',
}

/** How full the context window is, and what fills it if the agent reports that. */
export const ContextParts = ({ id, endedRuns, context, isPast }: Props) => {
  const { client } = useApp()
  const [resource] = useState(() => createResource(() => client.sessions.context(id)))
  const { value } = useStore(resource)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each run changes the context.
  useEffect(() => resource.load(), [resource, endedRuns])
  const gauge = context ?? (isPast ? undefined : value?.context)
  if (!gauge) return null
  const { used, window: size, percent, source } = gauge
  return (
    <section>
      <h3>Context</h3>
      <p>
        <span className="number">{formatTokens(used)}</span> tokens
        {size !== null && ` of ${formatTokens(size)}`}
        {percent !== null && ` (${Math.round(percent)}%)`}
        <span className="provenance"> {sources[source]}</span>
      </p>
      {!isPast && value?.parts && (
        <table className="totals-table">
          <tbody>
            {value.parts.map(({ name, tokens }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="number">{formatCount(tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
