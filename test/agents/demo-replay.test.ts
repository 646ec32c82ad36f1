import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const file = new URL('../../src/agents/demo/program/replay.json', import.meta.url).pathname

/** Whether an event is replayed: a replay has no run, usage, ids or times of its own. */
const isReplayed = (event: AgentEvent): boolean => {
  if (event.type === 'message_update') return event.assistantMessageEvent.type !== 'usage'
  if (event.type === 'message_start') return event.messageRole === 'assistant'
  if (event.type === 'message_end') return event.message.role === 'assistant'
  return event.type.startsWith('tool_') || event.type.startsWith('turn_')
}

const dropped = ['usage', 'timestamp', 'durationMs', 'nativeId', 'structuredContent', 'provider']
const ids = ['messageId', 'toolCallId', 'id']

const reduced = (key: string, value: unknown): unknown => {
  if (dropped.includes(key)) return undefined
  return ids.includes(key) ? `@${value}` : value
}

// Written by `npx vitest run test/agents/demo-replay.test.ts --update`.
test('the replay of the demo is what the recording decodes to', async () => {
  const events = decodeChunks('pi', [recording('pi/1.5.0/rpc-tools').bytes()]).filter(isReplayed)
  await expect(`${JSON.stringify(events, reduced, 2)}\n`).toMatchFileSnapshot(file)
})
