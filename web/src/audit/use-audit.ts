import { useCallback, useEffect, useState } from 'react'
import type { AuditQuery } from '../../../src/api/index.ts'
import type { AuditEntry } from '../../../src/events/types.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'

/** The pages of the audit that are loaded so far. */
export interface LoadedAudit {
  readonly entries: readonly AuditEntry[]
  /** Where the next page begins; undefined when there is none. */
  readonly next?: number | undefined
  readonly error?: string
  readonly isLoading: boolean
}

const nothing: LoadedAudit = { entries: [], isLoading: true }

/** Reads the audit, newest first; again from the start when the filter changes. */
export const useAudit = ({ actor, action }: Pick<AuditQuery, 'actor' | 'action'>) => {
  const { client } = useApp()
  const [loaded, setLoaded] = useState(nothing)
  const [before, setBefore] = useState<number>()

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins again
  useEffect(() => {
    setLoaded(nothing)
    setBefore(undefined)
  }, [actor, action])

  useEffect(() => {
    const control = new AbortController()
    const query = {
      ...(actor !== undefined && { actor }),
      ...(action !== undefined && { action }),
      ...(before !== undefined && { before }),
    }
    client.audit.list(query, { signal: control.signal }).then(
      ({ entries, next }) =>
        setLoaded((earlier) => ({
          entries: before === undefined ? entries : [...earlier.entries, ...entries],
          next,
          isLoading: false,
        })),
      (cause: unknown) => {
        if (!control.signal.aborted)
          setLoaded(({ entries }) => ({ entries, isLoading: false, error: reasonOf(cause) }))
      },
    )
    return () => control.abort()
  }, [client, actor, action, before])

  return { ...loaded, loadMore: useCallback(() => setBefore(loaded.next), [loaded.next]) }
}
