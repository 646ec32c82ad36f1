import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { decodeChunks, recording } from '../support/recordings.ts'
import { agentHome, fileRecordings, putRecording } from './home.ts'
import { eventsOf, importHome, memoryLog, sessionsOf } from './rig.ts'

/** What a session adds to the events of an agent. */
const added: ReadonlySet<string> = new Set(['turn_state', 'usage_update'])

const decoded = (name: string): AgentEvent[] => {
  const { agent, bytes } = recording(name)
  return decodeChunks(agent, [bytes()])
}

const nativeIdIn = (events: readonly AgentEvent[]): string =>
  events.find((event) => event.type === 'session_start')?.nativeId ?? ''

describe('the events of an imported file are those of the file', () => {
  test.each(fileRecordings.map(({ name }) => name))('%s', async (name) => {
    const expected = decoded(name)
    const home = agentHome()
    const log = await memoryLog()
    putRecording(home, name, nativeIdIn(expected))
    await importHome(home, log)
    const [session] = await sessionsOf(log)
    const events = await eventsOf(log, session?.id ?? '')
    const own = events
      .filter(({ type }) => !added.has(type))
      .map(({ sessionId: _, seq: __, timestamp: ___, readUpTo: ____, ...event }) => event)
    expect(own).toEqual(expected)
    expect(session?.watched?.nativeId).toBe(nativeIdIn(expected))
    expect(events.map(({ timestamp }) => timestamp)).toEqual(
      events.map(({ timestamp }) => timestamp).toSorted((left, right) => left - right),
    )
    // Again, as the next start does: nothing is new.
    await importHome(home, log)
    expect(await eventsOf(log, session?.id ?? '')).toEqual(events)
  })
})
