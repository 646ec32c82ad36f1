import { expect, test } from 'vitest'
import { createStamp } from '../../src/events/stamp.ts'
import { applyEvents, emptyTranscript, threadOf } from '../../src/transcript/index.ts'
import { entryRows, isBlankBlock } from '../../web/src/entries/entry-rows.ts'
import { decodeChunks, recording, recordings } from '../support/recordings.ts'

/** Yields the rows of a recording after each of its events. */
function* rowsAfterEachEvent(name: string) {
  const stamp = createStamp('s', () => 1_000_000)
  const agent = name.startsWith('pi') ? 'pi' : 'claude'
  let transcript = emptyTranscript('s')
  for (const event of decodeChunks(agent, [recording(name).bytes()])) {
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
