import { type DemoEvent, isDemoEvent } from '../wire.ts'
import { pause } from './pause.ts'
import recorded from './replay.json' with { type: 'json' }
import type { RunContext } from './run-context.ts'

/** Emits a recorded run again, in real time. */
export const replay = async ({ emit, signal, pace, newId }: RunContext): Promise<void> => {
  for (const event of recordedEvents(newId('replay'))) {
    await pause(pace, signal)
    emit(event)
  }
}

/** The recording with new ids: in the file, they begin with an at sign. */
const recordedEvents = (prefix: string): DemoEvent[] => {
  const text = JSON.stringify(recorded).replaceAll('"@', `"${prefix}-`)
  const events: unknown = JSON.parse(text)
  return Array.isArray(events) ? events.filter(isDemoEvent) : []
}
