import { isTold, type Told } from '../line.ts'
import { pause } from './pause.ts'
import recorded from './replay.json' with { type: 'json' }
import type { Stage } from './stage.ts'

/** Tells a recorded run again, in real time. */
export const replay = async ({ tell, signal, pace, newId }: Stage): Promise<void> => {
  for (const event of recordedEvents(newId('replay'))) {
    await pause(pace, signal)
    tell(event)
  }
}

/** The recording with ids that no earlier replay had: those in it begin with an at sign. */
const recordedEvents = (prefix: string): Told[] => {
  const text = JSON.stringify(recorded).replaceAll('"@', `"${prefix}-`)
  const events: unknown = JSON.parse(text)
  return Array.isArray(events) ? events.filter(isTold) : []
}
