import { type AdapterMessage, adapterOf, adapters, createProjection } from '../../src/bus/index.ts'
import { createStamp, type StampedEvent } from '../../src/events/index.ts'
import { decodeChunks, type Recording, recording } from '../support/recordings.ts'

/** The namespace of an agent. */
export const namespaceOf = (agent: string) => {
  const adapter = adapterOf(agent)
  if (!adapter) throw new Error(`no adapter for ${agent}`)
  return adapter.namespace
}
export const ids = { adapterId: 'adapter', agentId: 'agent' }

/** The events of a recording, stamped as a session stamps them. */
export const eventsOf = ({ agent, bytes, name }: Recording): StampedEvent[] =>
  decodeChunks(agent, [bytes()]).map(createStamp(name, () => 1_767_225_600_000))

/** The messages of a recording. */
export const project = (from: Recording, events = eventsOf(from)): AdapterMessage[] => {
  const projection = createProjection(namespaceOf(from.agent), ids)
  return events.flatMap(projection.push)
}

/** The messages of a recording, by its name. */
export const projected = (name: string): AdapterMessage[] => project(recording(name))

/** The messages on one subject, of any agent. */
export const on = <Name extends string>(messages: readonly AdapterMessage[], name: Name) => {
  type Wanted = Extract<AdapterMessage, { subject: `adapter:${string}.${Name}` }>
  const subjects = Object.values(adapters).map(({ namespace }) => `${namespace}.${name}`)
  const isWanted = (message: AdapterMessage): message is Wanted =>
    subjects.includes(message.subject)
  return messages.filter(isWanted)
}
