import { ApiError, clientError } from '../api-error.ts'
import type { StreamState } from '../stream/read-stream.ts'

/** Passes the events of a stream on until it ends. Never throws: why it stopped is a state. */
export const pump = async <Event>(
  batches: AsyncIterable<Event[]>,
  onEvents: (events: Event[]) => void,
  onState: (state: StreamState) => void,
): Promise<void> => {
  try {
    for await (const batch of batches) onEvents(batch)
  } catch (cause) {
    // The stream has reported its own errors as states already.
    if (cause instanceof ApiError) return
    // The server promises that events of recognised types can be folded.
    onState({ status: 'stopped', error: clientError('bad_answer', cause) })
  }
}
