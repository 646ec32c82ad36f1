// Fills a data directory with 100,000 events in 20 sessions, and with the snapshots that a server
// stores when it stops. Prints the id of one session.

import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { openSqliteLog } from '../../src/log/index.ts'
import { createStreams } from '../../src/streams/streams.ts'
import { recordOf, sessionIds } from '../log/events.ts'

const [directory = '', count = '100000'] = process.argv.slice(2)
const deltas = 40
const words = 'the quick brown fox jumps over the lazy dog and then it reads the whole file again'

/** One run of an agent: a prompt, and a response in small deltas. */
const runOf = (number: number): AgentEvent[] => {
  const promptId = `q${number}`
  const messageId = `a${number}`
  const parts = Array.from({ length: deltas }, (_, index) => words.slice(index, index + 40))
  return [
    { type: 'agent_start' },
    { type: 'message_start', messageId: promptId, messageRole: 'user' },
    {
      type: 'message_end',
      messageId: promptId,
      message: { role: 'user', content: [{ type: 'text', text: `And then? (${number})` }] },
    },
    { type: 'message_start', messageId, messageRole: 'assistant' },
    update(messageId, { type: 'text_start', contentIndex: 0 }),
    ...parts.map((delta) => update(messageId, { type: 'text_delta', contentIndex: 0, delta })),
    update(messageId, { type: 'text_end', contentIndex: 0 }),
    update(messageId, { type: 'done', reason: 'stop' }),
    {
      type: 'message_end',
      messageId,
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: parts.join('') }],
        stopReason: 'stop',
      },
    },
    { type: 'agent_end', stopReason: 'stop' },
  ]
}

type Update = Extract<AgentEvent, { type: 'message_update' }>['assistantMessageEvent']
const update = (messageId: string, assistantMessageEvent: Update): AgentEvent => ({
  type: 'message_update',
  messageId,
  assistantMessageEvent,
})

const log = await openSqliteLog(directory, { synchronous: 'NORMAL' })
const streams = createStreams({ log })
const runs = Math.ceil(Number(count) / sessionIds.length / runOf(0).length)
for (const id of sessionIds) {
  await log.sessions.create({ ...recordOf(id), state: 'idle', cwd: directory })
  const stamp = createStamp(id, Date.now)
  for (let run = 0; run < runs; run += 1) await log.append(id, runOf(run).map(stamp))
  await streams.snapshotOf(id)
}
await streams.close()
await log.close()
process.stdout.write(sessionIds.at(-1) ?? '')
