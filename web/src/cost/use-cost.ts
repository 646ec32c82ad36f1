import { useEffect, useMemo } from 'react'
import type { CostQuery, CostReport } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { createResource, type Loaded } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { useNow } from '../parts/clock.ts'
import { type CostRange, rangeStart } from './spending.ts'

/** The amounts are loaded again after this time. */
const freshMs = 20_000

/** What was spent in a range of time, in the time zone of this browser. */
export const useCost = (
  group: NonNullable<CostQuery['group']>,
  range: CostRange,
): Loaded<CostReport> => {
  const { client } = useApp()
  const now = useNow(freshMs)
  const resource = useMemo(
    () =>
      createResource(() => {
        const since = rangeStart(range, Date.now())
        return client.cost({
          group,
          timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
          ...(since !== undefined && { since }),
        })
      }),
    [client, group, range],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: agents spend more as time goes by.
  useEffect(() => resource.load(), [resource, now])
  return useStore(resource)
}
