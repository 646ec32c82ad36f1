import type { StampedEvent } from '../../events/types.ts'
import type { ChatBackend } from './chat-backend.ts'
import type { Screen } from './screen.ts'

/** So many of the latest events of a session are shown again. */
const historyLimit = 5000

/** Prints what was said in a stored session, all of it or its latest runs, and returns its events. */
export const showHistory = async (
  backend: Pick<ChatBackend, 'history'>,
  screen: Pick<Screen, 'history' | 'hint'>,
): Promise<readonly StampedEvent[]> => {
  const { events, isWhole } = await backend.history(historyLimit)
  if (events.length === 0) return events
  // A run that began before them would be shown without its prompt.
  const firstRun = isWhole ? 0 : events.findIndex(({ type }) => type === 'agent_start')
  if (!isWhole) screen.hint('Only the latest runs of this session are shown.')
  screen.history(events.slice(Math.max(0, firstRun)).filter(isShownAgain))
  return events
}

/** A request for approval was answered long ago, or is asked again. */
const isShownAgain = ({ type }: StampedEvent): boolean => type !== 'approval_request'
