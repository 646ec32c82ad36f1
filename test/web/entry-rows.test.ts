import { expect, test } from 'vitest'
import { createStamp } from '../../src/events/stamp.ts'
import {
  applyEvents,
  type Entry,
  emptyTranscript,
  type Thread,
  threadOf,
} from '../../src/transcript/index.ts'
import { createList, pushItem, setItem } from '../../src/transcript/list.ts'
import { entryRows, isBlankBlock } from '../../web/src/entries/entry-rows.ts'
import { decodeChunks, recording, recordings } from '../support/recordings.ts'

/** Yields the rows of a recording after each of its events. */
function* rowsAfterEachEvent(name: string) {
  const stamp = createStamp('s', () => 1_000_000)
  const { agent, bytes } = recording(name)
  let transcript = emptyTranscript('s')
  for (const event of decodeChunks(agent, [bytes()])) {
    transcript = applyEvents(transcript, [stamp(event)])
    const thread = threadOf(transcript)
    yield { event, rows: thread ? entryRows(thread) : [] }
  }
}

const names = recordings.map(({ name }) => name).filter((name) => name.includes('parallel'))

test.each(names)('no message of %s has a row if it only calls tools that have rows', (name) => {
  let calls = 0
  for (const { event, rows } of rowsAfterEachEvent(name)) {
    if (event.type === 'tool_execution_start') calls += 1
    const tools = new Set<unknown>(
      rows.flatMap(({ entry }) => (entry.kind === 'tool' ? [entry.toolCallId] : [])),
    )
    for (const { entry } of rows) {
      if (entry.kind !== 'message' || entry.message.content.length === 0) continue
      const isVisible = entry.message.content.some((block) =>
        block.type === 'toolCall'
          ? !tools.has(block.id)
          : entry.isStreaming || !isBlankBlock(block),
      )
      expect(isVisible || entry.message.errorMessage !== undefined).toBe(true)
    }
  }
  expect(calls).toBeGreaterThan(1)
})

test('while an answer streams into 10,000 entries, only the last ones are looked at', () => {
  let looks = 0
  const counted = (entry: Entry): Entry =>
    new Proxy(entry, {
      get(target, name) {
        looks += 1
        return Reflect.get(target, name)
      },
    })
  const entries = Array.from({ length: 10_000 }, (_, index) => counted(textEntry(`${index}`, 'a')))
  const thread: Thread = {
    toolCallId: null,
    subagent: null,
    entries: createList([...entries, textEntry('last', '')]),
    open: 10_000,
  }
  const before = entryRows(thread)
  expect(before).toHaveLength(10_000)
  looks = 0
  const streaming = setItem(thread.entries, 10_000, textEntry('last', 'Hello'))
  const after = entryRows({ ...thread, entries: streaming })
  expect(looks).toBeLessThan(500)
  expect(after).toHaveLength(10_001)
  expect(after.slice(0, -1)).toEqual(before)
})

test('a message that only calls tools loses its row when its last tool has one, however late', () => {
  const call = { type: 'toolCall', id: 'call', name: 'bash', arguments: {} } as const
  const calling: Entry = {
    kind: 'message',
    messageId: 'm',
    message: { role: 'assistant', content: [call] },
    isStreaming: true,
  }
  const others = Array.from({ length: 100 }, (_, index) => textEntry(`${index}`, 'a'))
  const entries = createList([calling, ...others])
  const thread: Thread = { toolCallId: null, subagent: null, entries, open: 0 }
  expect(entryRows(thread)).toHaveLength(101)
  const tool: Entry = {
    kind: 'tool',
    toolCallId: 'call',
    toolName: 'bash',
    status: 'running',
    output: '',
    dropped: 0,
  }
  expect(entryRows({ ...thread, entries: pushItem(entries, tool) })).toHaveLength(101)
  expect(entryRows({ ...thread, entries: pushItem(entries, tool) })[0]?.entry).toBe(others[0])
})

const textEntry = (messageId: string, text: string): Entry => ({
  kind: 'message',
  messageId,
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  isStreaming: false,
})
