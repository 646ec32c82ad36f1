import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import type { Screen } from './screen.ts'

/** So many of the latest events of a session are shown again. */
const historyLimit = 5000

/** Prints what was said in a stored session: all of it, or its latest runs. */
export const showHistory = async (
  log: Pick<Log, 'head' | 'read'>,
  id: string,
  screen: Pick<Screen, 'history' | 'hint'>,
): Promise<void> => {
  const after = Math.max(0, (await log.head(id)) - historyLimit)
  const events: StampedEvent[] = []
  for await (const event of log.read(id, after)) events.push(event)
  if (events.length === 0) return
  // A run that began before them would be shown without its prompt.
  const firstRun = after === 0 ? 0 : events.findIndex(({ type }) => type === 'agent_start')
  if (after > 0) screen.hint('Only the latest runs of this session are shown.')
  screen.history(events.slice(Math.max(0, firstRun)).filter(isHistory))
}

/** A request for approval was answered long ago. */
const isHistory = ({ type }: StampedEvent): boolean => type !== 'approval_request'
