import { ApiError, clientError } from '../api-error.ts'
import type { StreamState } from '../stream/state.ts'

/** Feeds a store for as long as its stream goes on; that it stopped, and why, is a state. */
export const pump = async <Event>(
  batches: AsyncIterable<Event[]>,
  take: (events: Event[]) => void,
  onState: (state: StreamState) => void,
): Promise<void> => {
  try {
    for await (const batch of batches) take(batch)
  } catch (cause) {
    // A refusal was told by the stream itself.
    if (cause instanceof ApiError) return
    // An event of a known type that cannot be folded is not what the server promises.
    onState({ status: 'stopped', error: clientError('bad_answer', cause) })
  }
}
