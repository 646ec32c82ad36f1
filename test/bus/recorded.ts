import { type AdapterMessage, createProjection } from '../../src/bus/index.ts'
import { createStamp, type StampedEvent } from '../../src/events/index.ts'
import { decodeChunks, type Recording, recording } from '../support/recordings.ts'

/** Where each agent’s messages go. */
export const namespaceOf = { pi: 'adapter:piSdk', claude: 'adapter:claudeCli' } as const
/** Whose messages they are. */
export const ids = { adapterId: 'adapter', agentId: 'agent' }

/** What a recording decodes to, stamped as a session would. */
export const eventsOf = ({ agent, bytes, name }: Recording): StampedEvent[] =>
  decodeChunks(agent, [bytes()]).map(createStamp(name, () => 1_767_225_600_000))

/** What a recording becomes on the bus. */
export const project = (from: Recording, events = eventsOf(from)): AdapterMessage[] => {
  const projection = createProjection(namespaceOf[from.agent], ids)
  return events.flatMap(projection.push)
}

/** The same, by the recording’s name. */
export const projected = (name: string): AdapterMessage[] => project(recording(name))

/** The messages on one subject, of whichever agent. */
export const on = <Name extends string>(messages: readonly AdapterMessage[], name: Name) => {
  type Wanted = Extract<AdapterMessage, { subject: `adapter:${string}.${Name}` }>
  const subjects = Object.values(namespaceOf).map((prefix) => `${prefix}.${name}`)
  const isWanted = (message: AdapterMessage): message is Wanted =>
    subjects.includes(message.subject)
  return messages.filter(isWanted)
}
